const KEY = 'thread-host-key';

/** For this tab alone, and forgotten with it. */
export function signedInKey(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** The page begins anew, so that nothing of one user is left for the next. */
export function signInAs(apiKey: string): void {
  sessionStorage.setItem(KEY, apiKey);
  location.reload();
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEY);
}
