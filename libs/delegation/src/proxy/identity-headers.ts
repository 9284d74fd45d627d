import { chainIdentityHeader, encodeIdentity, escapeExtraKey, type UserInfo } from '@apichain/authn';
import { newBadRequest, oncePerObject } from '@apichain/meta';

type IdentityHeader = readonly [name: string, value: string | string[]];

/** The limit of an identity in bytes. Servers limit the size of request headers, so a larger identity is refused. */
const maxIdentityBytes = 1024 * 1024;
/** An identity with more headers than this is sent to the next server of the chain as a single header. */
const maxIdentityHeaders = 64;

const plainText = /^[\x20-\x7e]*$/;
const blankEnds = /^[ \t]|[ \t]$/;
const unsendable = /[^\t\x20-\x7e\x80-\uffff]/;

/** Whether a header can carry the text. UTF-8 is sent as its bytes; leading and trailing blanks would be lost. */
const fits = (text: string): boolean =>
  !blankEnds.test(text) && (plainText.test(text) || (!unsendable.test(text) && text.isWellFormed()));

/** Node writes each character of a header as one byte. */
const headerText = (text: string): string =>
  plainText.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');

/** The first part of a user that no header can carry unchanged. */
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

/**
 * The identity headers for the next server of the chain, which receives the user unchanged. Throws BadRequest when they are too large. Authenticators return
 * the same object for repeated requests of a user.
 */
export const chainIdentity = oncePerObject((user: UserInfo): readonly IdentityHeader[] => {
  const plain = misfit(user) === undefined && keysFit(user) ? remoteHeaders(user) : undefined;
  const count = plain?.reduce((sum, [, value]) => sum + [value].flat().length, 0) ?? Infinity;
  const sent = plain !== undefined && count <= maxIdentityHeaders ? plain : undefined;
  return checkSize(sent ?? [[chainIdentityHeader, encodeIdentity(user)]]);
});

/**
 * The identity headers for an extension API server, which knows only the headers of Kubernetes. Throws BadRequest for a user whose identity these
 * headers would change.
 */
export const extensionIdentity = oncePerObject((user: UserInfo): readonly IdentityHeader[] => {
  const part = misfit(user);
  if (part !== undefined)
    throw newBadRequest(
      `the ${part} of the user cannot be passed on to an extension API server: a header cannot carry it`,
    );
  return checkSize(remoteHeaders(user));
});
