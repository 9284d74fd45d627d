/** Who is logged in. */
interface SessionUser {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface LoggedIn {
  readonly user: SessionUser;
  /** Who impersonates the user; absent = the user has logged in. */
  readonly impersonator?: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const storageKey = 'apichain-console-proof';

/** The half of the session that the page keeps. It belongs to this tab and this port; the other half is a cookie that scripts cannot read. */
export const proof = (): string => sessionStorage.getItem(storageKey) ?? '';

const endpoint = '/console/session';

/** Begins a session with the one-time code in the fragment of the URL, or continues the one of this tab. Undefined = the user must log in. */
export async function openSession(): Promise<LoggedIn | undefined> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code === undefined) return continued();
  // The code must not stay in the history of the browser.
  history.replaceState(null, '', '#/');
  return (await logIn({ code })) ?? continued();
}

async function continued(): Promise<LoggedIn | undefined> {
  if (proof() === '') return undefined;
  const response = await fetch(endpoint, { headers: { 'X-Console-Proof': proof() } });
  return response.ok ? ((await response.json()) as LoggedIn) : undefined;
}

/** Undefined when the server does not accept the code or the token. */
export async function logIn(
  credential: { readonly code: string } | { readonly token: string },
): Promise<LoggedIn | undefined> {
  const response = await fetch(endpoint, { method: 'POST', body: JSON.stringify(credential) });
  if (!response.ok) return undefined;
  const session = (await response.json()) as LoggedIn & { readonly proof: string };
  sessionStorage.setItem(storageKey, session.proof);
  return session;
}

export async function logOut(): Promise<void> {
  await fetch(endpoint, { method: 'DELETE', headers: { 'X-Console-Proof': proof() } });
  sessionStorage.removeItem(storageKey);
  location.reload();
}
