import { isRecord } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { asTexts, isAbsent, jsonKind } from '@apichain/scheme';
import { type Claims, wholeSeconds } from '../claims.ts';

/** The claims of an ID token by which it is verified. Times in whole seconds since the epoch. */
export interface IdToken {
  readonly audiences: readonly string[];
  /** Undefined = the token names no expiry. */
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
}

/** Throws Error when a claim that every ID token may have is of another type, as github.com/coreos/go-oidc does. */
export function decodeIdToken(claims: Claims): IdToken {
  for (const name of ['iss', 'sub', 'nonce', 'at_hash']) checkText(claims[name], name);
  checkSources(claims);
  const { aud, exp, iat, nbf } = claims;
  if (iat !== undefined) secondsOf(iat, 'iat');
  return {
    audiences: audiencesOf(aud),
    expires: exp === undefined ? undefined : secondsOf(exp, 'exp'),
    notBefore: isAbsent(nbf) ? undefined : secondsOf(nbf, 'nbf'),
  };
}

const wrongField = (value: unknown, path: string, type: string): Error =>
  new Error(`json: cannot unmarshal ${jsonKind(value)} into Go struct field idToken.${path} of type ${type}`);

function checkText(value: unknown, path: string): void {
  if (!isAbsent(value) && typeof value !== 'string') throw wrongField(value, path, 'string');
}

/** Where distributed claims are: https://openid.net/specs/openid-connect-core-1_0.html#AggregatedDistributedClaims */
function checkSources({ _claim_names: names, _claim_sources: sources }: Claims): void {
  for (const name of membersOf(names, '_claim_names', 'map[string]string')) checkText(name, '_claim_names');
  for (const source of membersOf(sources, '_claim_sources', 'map[string]oidc.claimSource')) {
    if (isAbsent(source)) continue;
    if (!isRecord(source)) throw wrongField(source, '_claim_sources', 'oidc.claimSource');
    for (const name of ['endpoint', 'access_token']) checkText(source[name], `_claim_sources.${name}`);
  }
}

function membersOf(value: unknown, path: string, type: string): unknown[] {
  if (isAbsent(value)) return [];
  if (isRecord(value)) return Object.values(value);
  throw wrongField(value, path, type);
}

/** A text or a list of texts. Null is an empty text, also in the list. */
function audiencesOf(value: unknown): string[] {
  if (value === undefined) return [];
  if (value === null) return [''];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) throw wrongField(value, 'aud', '[]string');
  for (const audience of value) checkText(audience, 'aud');
  return asTexts(value);
}

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number, or a text with one. */
function secondsOf(value: unknown, path: string): number {
  if (value === null) throw new Error('strconv.ParseFloat: parsing "": invalid syntax');
  if (typeof value !== 'number' && typeof value !== 'string') throw wrongField(value, path, 'json.Number');
  if (typeof value === 'string' && !numberForm.test(value))
    throw new Error(`json: invalid number literal, trying to unmarshal ${goQuote(JSON.stringify(value))} into Number`);
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return wholeSeconds(seconds);
  throw new Error(`strconv.ParseFloat: parsing ${goQuote(String(value))}: value out of range`);
}
