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
  /** The ports of other consoles of this machine in which this browser has logged in. */
  readonly otherPorts: readonly number[];
}

const storageKey = 'apichain-console-proof';

/** The half of the session that the page keeps. It belongs to this tab and this port; the other half is a cookie that scripts cannot read. */
export const proof = (): string => sessionStorage.getItem(storageKey) ?? '';

const endpoint = '/console/session';

/** The one-time code in the fragment of the URL. */
const codeInHash = (): string | undefined => /^#code=([\w-]+)$/.exec(location.hash)?.[1];

/**
 * Begins a session with the one-time code in the fragment of the URL, or continues the one of this tab. Undefined = the user must log in. `place` is the
 * fragment that takes the place of the code.
 */
export async function openSession(place = '#/'): Promise<LoggedIn | undefined> {
  const code = codeInHash();
  if (code === undefined) return continued();
  // The code must not stay in the history of the browser.
  history.replaceState(null, '', place);
  dispatchEvent(new HashChangeEvent('hashchange'));
  return (await logIn({ code })) ?? continued();
}

/**
 * Calls `open` when a URL with a code is opened in this tab, with the place that was shown before: only the fragment changes, so that the page is not loaded
 * again. Returns the function that ends it.
 */
export function whenCodeArrives(open: (place: string) => void): () => void {
  const changed = ({ oldURL }: HashChangeEvent) => {
    if (codeInHash() !== undefined) open(new URL(oldURL).hash || '#/');
  };
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}

async function continued(): Promise<LoggedIn | undefined> {
  if (proof() === '') return undefined;
  const response = await fetch(endpoint, { headers: { 'X-Console-Proof': proof() } });
  return response.ok ? ((await response.json()) as LoggedIn) : undefined;
}

/** Undefined when the server does not accept the code or the token. Throws Error when it does not respond. */
export async function logIn(
  credential: { readonly code: string } | { readonly token: string },
): Promise<LoggedIn | undefined> {
  const response = await fetch(endpoint, { method: 'POST', body: JSON.stringify(credential) }).catch(() => {
    throw new Error('The chain does not respond. Start it, and try again.');
  });
  if (response.status >= 500) throw new Error(await response.text());
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

/** The namespace of a ServiceAccount, by the name of its user; empty for other users. */
export const namespaceOfUser = (name: string): string => /^system:serviceaccount:([^:]+):/.exec(name)?.[1] ?? '';
