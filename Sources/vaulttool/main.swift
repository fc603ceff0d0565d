// Replaced when VaultCommands has an entry point.
