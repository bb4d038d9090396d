import { readFileSync } from 'node:fs';

const ASK = JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } });

/**
 * A resumed Claude Code runs its deferred call at once, at times before it has been told of the SDK's hooks; a call that
 * it may make by its own rules then ran although a person had said no. A hook in the settings is there from the start
 * and sends every call to the permission callback, which the start waits for.
 */
export function withStartGuard(settings: unknown): Record<string, unknown> {
  const given = typeof settings === 'string' ? read(settings) : (Object(settings) as Record<string, unknown>);
  const hooks = Object(given.hooks) as Record<string, unknown[]>;
  const guard = { hooks: [{ type: 'command', command: `echo '${ASK}'` }] };
  return { ...given, hooks: { ...hooks, PreToolUse: [...(hooks.PreToolUse ?? []), guard] } };
}

/** As the SDK takes it: JSON, or the path of a file with it. */
function read(settings: string): Record<string, unknown> {
  return JSON.parse(settings.trimStart().startsWith('{') ? settings : readFileSync(settings, 'utf8'));
}
