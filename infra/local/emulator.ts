/** One AWS service on this machine. */
export type Emulator = { url: string; stop(): Promise<void> };

/** The key of the agent runner and of the stack itself; functions have their logical ids for access key ids. */
export type LocalCredentials = { accessKeyId: string; secretAccessKey: string };
