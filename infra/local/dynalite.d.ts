declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** An embedded DynamoDB. Without a path it is in memory. */
  export default function dynalite(options?: { path?: string; createTableMs?: number }): Server;
}
