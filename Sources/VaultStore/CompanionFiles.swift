/// The plain files that vaulttool writes into a vault, for people and for git (spec §2).
package enum CompanionFiles {
  /// Each companion's path and bytes, in bytewise order of the paths.
  package static let all: [(path: [UInt8], bytes: [UInt8])] = [
    (Layout.bytes(".gitattributes"), Layout.bytes(attributes)),
    (Layout.bytes(".gitignore"), Layout.bytes(ignore)),
    (Layout.bytes("README.md"), Layout.bytes(readme)),
  ]

  /// Keeps git from changing, merging or exporting differently any byte of the vault, and names the drivers for notes.
  private static let attributes = """
    * -text -merge -filter -ident -working-tree-encoding -export-subst -export-ignore
    *.sealed diff=vaulttool merge=vaulttool

    """

  private static let ignore = """
    /local/
    /staging/*.part/

    """

  private static let readme = """
    # An encrypted vault

    This directory is a vault made by vaulttool. Every note in it is encrypted; nothing here can be read without the passphrase or the 24-word recovery phrase of its owner.

    To open it, with vaulttool installed:

        vaulttool ls .
        vaulttool unpack . /a/new/folder

    To check that nothing was damaged or changed, without any secret:

        vaulttool verify .

    The format is open: AES-256-GCM, PBKDF2-HMAC-SHA-512, HKDF-SHA-512, Ed25519 and zstd, described byte by byte in vaulttool's `spec/vault-format.md`.
    Do not edit, rename or add files here by hand, and type your passphrase or phrase only into a program you trust.

    """
}
