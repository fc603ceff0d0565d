import Glibc
import VaultCommands

ProcessHardening.apply()
Interruption.listen()
exit(Program.run(Invocation.processArguments(), on: Console.standard()))
