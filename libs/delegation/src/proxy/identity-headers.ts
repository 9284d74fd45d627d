import { chainIdentityHeader, encodeIdentity, escapeExtraKey, type UserInfo } from '@apichain/authn';
import { newBadRequest } from '@apichain/meta';

export type IdentityHeader = readonly [name: string, value: string | string[]];

/** More identity than this is refused, bytes: the head of a request has a limit everywhere. */
const maxIdentityBytes = 1024 * 1024;
/** With more headers than this an identity goes to the next server of the chain as one. */
const maxIdentityHeaders = 64;

const plainText = /^[\x20-\x7e]*$/;
const blankEnds = /^[ \t]|[ \t]$/;
const unsendable = /[^\t\x20-\x7e\x80-\uffff]/;

/** Whether a header can hold the text: UTF-8 goes out as its bytes, but blanks at the ends are lost on the way. */
const fits = (text: string): boolean =>
  !blankEnds.test(text) && (plainText.test(text) || (!unsendable.test(text) && text.isWellFormed()));

/** Node writes header characters as bytes. */
const headerText = (text: string): string =>
  plainText.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');

/** The first thing about a user that no header can carry unchanged. */
function misfit({ name, uid, groups, extra }: UserInfo): string | undefined {
  if (!fits(name)) return 'name';
  if (!fits(uid)) return 'uid';
  if (!groups.every(fits)) return 'groups';
  return Object.values(extra).every((values) => values.every(fits)) ? undefined : 'extra';
}

/** The front-proxy identity headers: https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/ */
function remoteHeaders({ name, uid, groups, extra }: UserInfo): IdentityHeader[] {
  const headers: IdentityHeader[] = [['X-Remote-User', headerText(name)]];
  if (uid !== '') headers.push(['X-Remote-Uid', headerText(uid)]);
  if (groups.length > 0) headers.push(['X-Remote-Group', groups.map(headerText)]);
  for (const [key, values] of Object.entries(extra))
    if (values.length > 0) headers.push([`X-Remote-Extra-${escapeExtraKey(key)}`, values.map(headerText)]);
  return headers;
}

function checkSize(headers: readonly IdentityHeader[]): readonly IdentityHeader[] {
  let bytes = 0;
  for (const [name, value] of headers)
    for (const text of [value].flat()) bytes += name.length + text.length + '\r\n: '.length;
  if (bytes <= maxIdentityBytes) return headers;
  throw newBadRequest('the identity of the user is too large to be passed on');
}

const keysFit = ({ extra }: UserInfo): boolean => Object.keys(extra).every((key) => key === key.toLowerCase());

/** A user comes again, and is then the same object. */
const forChain = new WeakMap<UserInfo, readonly IdentityHeader[]>();
const forExtensions = new WeakMap<UserInfo, readonly IdentityHeader[]>();

/** Who the user is, for the next server of the chain, which gets it exactly. Throws BadRequest when it is too much. */
export function chainIdentity(user: UserInfo): readonly IdentityHeader[] {
  let headers = forChain.get(user);
  if (headers === undefined) {
    const plain = misfit(user) === undefined && keysFit(user) ? remoteHeaders(user) : undefined;
    const count = plain?.reduce((sum, [, value]) => sum + [value].flat().length, 0) ?? Infinity;
    const sent = plain !== undefined && count <= maxIdentityHeaders ? plain : undefined;
    headers = checkSize(sent ?? [[chainIdentityHeader, encodeIdentity(user)]]);
    forChain.set(user, headers);
  }
  return headers;
}

/**
 * Who the user is, for an extension API server, which knows only the headers of Kubernetes. Throws BadRequest for one whom these would make
 * somebody else.
 */
export function extensionIdentity(user: UserInfo): readonly IdentityHeader[] {
  let headers = forExtensions.get(user);
  if (headers === undefined) {
    const part = misfit(user);
    if (part !== undefined)
      throw newBadRequest(
        `the ${part} of the user cannot be passed on to an extension API server: a header cannot carry it`,
      );
    headers = checkSize(remoteHeaders(user));
    forExtensions.set(user, headers);
  }
  return headers;
}
