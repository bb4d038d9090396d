/** One AWS service on this machine. */
export type Emulator = { url: string; stop(): Promise<void> };

/** The operator's own key, which the ready file holds; functions have their logical ids for access key ids. */
export type LocalCredentials = { accessKeyId: string; secretAccessKey: string };
