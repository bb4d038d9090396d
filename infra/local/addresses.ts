import path from 'node:path';
import type { HostUser } from './identity.ts';

/** What the ready file holds (interface.md 5). */
export type Addresses = {
  webhook_url: string;
  webhook_secret: string;
  runner_api_url: string;
  runner_queue_urls: Record<string, string>;
  resolver_queue_url: string;
  resolver_dlq_url: string;
  table_name: string;
  surface_url: string;
  /** In Prometheus's text format; the states of the alarms are at `/alarms` beside it. */
  metrics_url: string;
  aws: {
    region: string;
    access_key_id: string;
    secret_access_key: string;
    sqs_endpoint: string;
    dynamodb_endpoint: string;
  };
  /** Another thread host than the built-in one has no `users`, and its runner no `user_id` that is known here. */
  thread_host: { url: string; runner: { user_id?: string; api_key: string }; users?: HostUser[] };
};

/** Where a stack that runs with the built-in thread host leaves its addresses for other commands of this project. */
export const ADDRESSES_FILE = path.resolve(import.meta.dirname, '../../dist/local-stack.json');
