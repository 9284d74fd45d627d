import type { IncomingMessage } from 'node:http';
import { goQuote } from '@apichain/go-text';
import { newBadRequest } from '@apichain/meta';
import { addExtra, headerUtf8, unescapeExtraKey, type UserInfo } from '@apichain/authn';

const extraPrefix = 'impersonate-extra-';

/**
 * The user of the Impersonate-* headers; undefined = none. Throws a BadRequest StatusError when they name
 * groups, a uid or extras without a user. https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
export function impersonatedUser(request: IncomingMessage): UserInfo | undefined {
  const raw = request.rawHeaders;
  let name = '';
  let uid = '';
  let asked = false;
  const groups: string[] = [];
  const extra: Record<string, string[]> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const header = raw[i] ?? '';
    if (header.length < 15 || (header.charCodeAt(0) | 0x20) !== 0x69) continue;
    const lower = header.toLowerCase();
    const value = headerUtf8(raw[i + 1] ?? '');
    if (lower === 'impersonate-user') name ||= value;
    else if (lower === 'impersonate-uid') uid ||= value;
    else if (lower === 'impersonate-group') groups.push(value);
    else if (lower.startsWith(extraPrefix)) addExtra(extra, unescapeExtraKey(lower.slice(extraPrefix.length)), value);
    else continue;
    asked = true;
  }
  if (!asked) return undefined;
  const wanted: UserInfo = { name, uid, groups, extra };
  if (name !== '') return wanted;
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw newBadRequest(`requested ${goSyntax(wanted)} without impersonating a user name`);
}

/** The user in the format of Go's %#v of user.DefaultInfo, for the error message. */
function goSyntax(user: UserInfo): string {
  const strings = (values: readonly string[]) => `[]string{${values.map(goQuote).join(', ')}}`;
  const groups = user.groups.length === 0 ? '[]string(nil)' : strings(user.groups);
  const keys = Object.keys(user.extra).sort();
  const entries = keys.map((key) => `${goQuote(key)}:${strings(user.extra[key] ?? [])}`);
  const extra = keys.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${goQuote(user.name)}, UID:${goQuote(user.uid)}, Groups:${groups}, Extra:${extra}}`;
}
