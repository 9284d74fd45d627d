import { errorMessage } from '@apichain/meta';
import type { UserInfo } from '../authenticator.ts';
import type { ClaimOrExpression, JwtAuthenticator, PrefixedClaim } from './authentication-configuration.ts';
import { ClaimExpression, ClaimRules, textsOf, UserRules } from './claim-expressions.ts';
import { asBool } from '@apichain/scheme';
import { textClaim, textsClaim, type Claims } from '../claims.ts';

const credentialId = 'authentication.kubernetes.io/credential-id';

/** Calls `make`, and prefixes the message of an error with the context. */
function within<Result>(context: string, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    throw new Error(`${context}: ${errorMessage(error)}`, { cause: error });
  }
}

const expressionOf = ({ expression }: ClaimOrExpression): ClaimExpression | undefined =>
  expression === '' ? undefined : new ClaimExpression(expression);

/**
 * Maps the claims of a token to a user, and checks the rules for both.
 * After k8s.io/apiserver/plugin/pkg/authenticator/token/oidc.
 */
export class ClaimMapping {
  readonly #username: PrefixedClaim;
  readonly #usernameExpression: ClaimExpression | undefined;
  readonly #groups: PrefixedClaim;
  readonly #groupsExpression: ClaimExpression | undefined;
  readonly #uid: ClaimOrExpression;
  readonly #uidExpression: ClaimExpression | undefined;
  readonly #extra: readonly { readonly key: string; readonly source: string; readonly expression: ClaimExpression }[];
  readonly #required: readonly { readonly claim: string; readonly requiredValue: string }[];
  readonly #claimRules: ClaimRules;
  readonly #userRules: UserRules;

  /** Throws Error when an expression does not compile. */
  constructor({ claimMappings, claimValidationRules, userValidationRules }: JwtAuthenticator) {
    this.#username = claimMappings.username;
    this.#usernameExpression = expressionOf(claimMappings.username);
    this.#groups = claimMappings.groups;
    this.#groupsExpression = expressionOf(claimMappings.groups);
    this.#uid = claimMappings.uid;
    this.#uidExpression = expressionOf(claimMappings.uid);
    this.#extra = claimMappings.extra.map(({ key, valueExpression: source }) => ({
      key,
      source,
      expression: new ClaimExpression(source),
    }));
    this.#required = claimValidationRules.filter(({ claim }) => claim !== '');
    this.#claimRules = new ClaimRules(claimValidationRules.filter(({ expression }) => expression !== ''));
    this.#userRules = new UserRules(userValidationRules);
  }

  /** Throws Error when a claim has the wrong type or a rule fails. */
  userOf(claims: Claims): UserInfo {
    const name = this.#nameOf(claims);
    const groups = this.#groupsOf(claims);
    const user: UserInfo = { name, uid: this.#uidOf(claims), groups, extra: this.#extraOf(claims) };
    this.#checkRequired(claims);
    within('oidc: error evaluating claim validation expression', () => this.#claimRules.check(claims));
    within('oidc: error evaluating user info validation rule', () => this.#userRules.checkUser(user));
    return user;
  }

  #nameOf(claims: Claims): string {
    const expression = this.#usernameExpression;
    if (expression !== undefined) {
      const name = within('oidc: error evaluating username claim expression', () => {
        const value = expression.evaluate(claims);
        if (typeof value !== 'string') throw new Error('username claim expression must return a string');
        return value;
      });
      if (name === '') throw new Error('oidc: empty username via CEL expression is not allowed');
      return name;
    }
    const { claim, prefix = '' } = this.#username;
    const name = within(`oidc: parse username claims ${JSON.stringify(claim)}`, () => textClaim(claims, claim));
    if (claim === 'email' && Object.hasOwn(claims, 'email_verified')) {
      const isVerified = within("oidc: parse 'email_verified' claim", () => asBool(claims['email_verified']));
      if (!isVerified) throw new Error('oidc: email not verified');
    }
    return `${prefix}${name}`;
  }

  #groupsOf(claims: Claims): string[] {
    const { claim, prefix = '' } = this.#groups;
    if (claim !== '' && Object.hasOwn(claims, claim)) {
      const groups = within(`oidc: parse groups claim ${JSON.stringify(claim)}`, () => textsClaim(claims[claim]));
      return groups.map((group) => `${prefix}${group}`);
    }
    const expression = this.#groupsExpression;
    if (expression === undefined) return [];
    return within('oidc: error evaluating group claim expression', () => textsOf(expression.evaluate(claims)));
  }

  #uidOf(claims: Claims): string {
    const { claim } = this.#uid;
    if (claim !== '') return within(`oidc: parse uid claim ${JSON.stringify(claim)}`, () => textClaim(claims, claim));
    const expression = this.#uidExpression;
    if (expression === undefined) return '';
    return within('oidc: error evaluating uid claim expression', () => {
      const value = expression.evaluate(claims);
      if (typeof value !== 'string') throw new Error('uid claim expression must return a string');
      return value;
    });
  }

  /** Identifies the token in audit events and reviews. */
  #extraOf(claims: Claims): Record<string, readonly string[]> {
    const { jti } = claims;
    const extra: [string, readonly string[]][] =
      typeof jti === 'string' && jti !== '' ? [[credentialId, [`JTI=${jti}`]]] : [];
    const values = this.#extra.map((mapping) => ({ ...mapping, value: mapping.expression.evaluate(claims) }));
    for (const { key, source, value } of values) {
      const texts = within(`oidc: error evaluating extra claim expression: ${source}`, () => textsOf(value));
      if (texts.length > 0) extra.push([key, texts]);
    }
    return Object.fromEntries(extra.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #checkRequired(claims: Claims): void {
    for (const { claim, requiredValue } of this.#required) {
      if (!Object.hasOwn(claims, claim)) throw new Error(`oidc: required claim ${claim} not present in ID token`);
      const value = within(`oidc: parse claim ${claim}`, () => textClaim(claims, claim));
      if (value !== requiredValue)
        throw new Error(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`);
    }
  }
}
