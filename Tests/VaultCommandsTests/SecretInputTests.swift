import Glibc
import Testing
import VaultCommands
import VaultCrypto

/// Questions and secret sources share the process's signals, so their tests take turns.
@Suite(.serialized) struct SecretInputTests {}

/// Gives a signal its usual effect and lets this thread receive signals: whoever runs the tests may
/// ignore it, and the threads of the test library block all of them.
func expectSignal(_ number: CInt) {
  signal(number, SIG_DFL)
  var none = sigset_t()
  unsafe sigemptyset(&none)
  unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
}

/// The bytes of a test's secret as text.
func text(of secret: borrowing SecretBytes) -> String {
  secret.withBytes { bytes in
    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
  }
}

/// The same of one that was read from a source.
func text(_ secret: ReadSecret) -> String { text(of: secret.bytes) }

/// The same of one that may not be there.
func optionalText(of secret: consuming SecretBytes?) -> String? {
  guard let secret = secret.take() else { return nil }
  return text(of: secret)
}
