import { authenticationResults, claimsEnvironment, compileExpression, selects, userEnvironment } from '@apichain/cel';
import { domainPrefixedPathErrors, field, type FieldError } from '@apichain/meta';
import { parseGoUrl } from '@apichain/go-text';
import { parseCertificateBundle } from '../peer-certificate.ts';
import type {
  AuthenticationConfiguration,
  ClaimMappings,
  ClaimOrExpression,
  ClaimValidationRule,
  Issuer,
  JwtAuthenticator,
  PrefixedClaim,
  UserValidationRule,
} from './authentication-configuration.ts';

const { child, duplicate, index, invalid, required, tooMany } = field;
const maxAuthenticators = 64;
const bothSet = "claim and expression can't both be set";

/** Validates a configuration. After k8s.io/apiserver/pkg/apis/apiserver/validation. */
export function authenticationConfigurationErrors(
  { jwt, anonymous }: AuthenticationConfiguration,
  disallowedIssuers: readonly string[],
): FieldError[] {
  if (jwt.length > maxAuthenticators) return [tooMany('jwt', jwt.length, maxAuthenticators)];
  const issuers = new Set<string>();
  const discoveryUrls = new Set<string>();
  const errors = jwt.flatMap((authenticator, i) => {
    const path = index('jwt', i);
    const { url, discoveryURL = '' } = authenticator.issuer;
    const repeated = [
      ...(issuers.has(url) ? [duplicate(child(path, 'issuer', 'url'), url)] : []),
      ...(discoveryUrls.has(discoveryURL) ? [duplicate(child(path, 'issuer', 'discoveryURL'), discoveryURL)] : []),
    ];
    issuers.add(url);
    if (discoveryURL !== '') discoveryUrls.add(discoveryURL);
    return [...jwtAuthenticatorErrors(path, authenticator, disallowedIssuers), ...repeated];
  });
  if (anonymous === undefined || anonymous.enabled || anonymous.conditions.length === 0) return errors;
  const conditions = anonymous.conditions.map(({ path }) => ({ Path: path }));
  const problem = 'enabled should be set to true when conditions are defined';
  return [...errors, invalid('anonymous.conditions', conditions, problem)];
}

/** Validates one issuer; `path` may be empty. */
export function jwtAuthenticatorErrors(
  path: string,
  authenticator: JwtAuthenticator,
  disallowedIssuers: readonly string[],
): FieldError[] {
  const { issuer, claimValidationRules, claimMappings, userValidationRules } = authenticator;
  return [
    ...issuerErrors(child(path, 'issuer'), issuer, disallowedIssuers),
    ...claimRuleErrors(child(path, 'claimValidationRules'), claimValidationRules),
    ...mappingErrors(child(path, 'claimMappings'), claimMappings, claimValidationRules),
    ...userRuleErrors(child(path, 'userValidationRules'), userValidationRules),
  ];
}

function issuerErrors(path: string, issuer: Issuer, disallowed: readonly string[]): FieldError[] {
  const { url, discoveryURL = '', certificateAuthority, egressSelectorType } = issuer;
  const at = (member: string) => child(path, member);
  const knowsEgress = ['', 'controlplane', 'cluster'].includes(egressSelectorType);
  const egressProblem = 'egress selector must be either controlplane or cluster';
  return [
    ...(url === '' ? [required(at('url'))] : urlErrors(at('url'), url, disallowed)),
    ...(discoveryURL === '' ? [] : discoveryUrlErrors(at('discoveryURL'), url, discoveryURL)),
    ...audienceErrors(path, issuer),
    ...certificateErrors(at('certificateAuthority'), certificateAuthority),
    ...(knowsEgress ? [] : [invalid(at('egressSelectorType'), egressSelectorType, egressProblem)]),
  ];
}

function discoveryUrlErrors(path: string, issuer: string, url: string): FieldError[] {
  const trimmed = (text: string) => text.replace(/(?<!\/)\/+$/, '');
  const isSame = issuer !== '' && trimmed(issuer) === trimmed(url);
  const same = isSame ? [invalid(path, url, 'discoveryURL must be different from URL')] : [];
  return [...same, ...urlErrors(path, url, [])];
}

function urlErrors(path: string, value: string, disallowed: readonly string[]): FieldError[] {
  const list = [...disallowed].sort().join(' ');
  const overlap = disallowed.includes(value)
    ? [invalid(path, value, `URL must not overlap with disallowed issuers: [${list}]`)]
    : [];
  const url = parseGoUrl(value);
  if ('error' in url) return [...overlap, invalid(path, value, url.error)];
  const problems = [
    ...(url.scheme === 'https' ? [] : ['URL scheme must be https']),
    ...(url.user === undefined ? [] : ['URL must not contain a username or password']),
    ...(url.query === '' ? [] : ['URL must not contain a query']),
    ...(url.fragment === '' ? [] : ['URL must not contain a fragment']),
  ];
  return [...overlap, ...problems.map((problem) => invalid(path, value, problem))];
}

function audienceErrors(path: string, { audiences, audienceMatchPolicy: policy }: Issuer): FieldError[] {
  const list = child(path, 'audiences');
  if (audiences.length === 0) return [required(list, `at least one ${list} is required`)];
  const errors = audiences.flatMap((audience, i) => [
    ...(audience === '' ? [required(index(list, i))] : []),
    ...(audiences.indexOf(audience) < i ? [duplicate(index(list, i), audience)] : []),
  ]);
  if (policy === 'MatchAny' || (policy === '' && audiences.length === 1)) return errors;
  const wanted = audiences.length > 1 ? 'MatchAny for multiple audiences' : 'empty or MatchAny for single audience';
  return [...errors, invalid(child(path, 'audienceMatchPolicy'), policy, `audienceMatchPolicy must be ${wanted}`)];
}

function certificateErrors(path: string, pem: string): FieldError[] {
  if (pem === '') return [];
  try {
    parseCertificateBundle(pem);
    return [];
  } catch {
    return [invalid(path, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates')];
  }
}

/** Errors of an expression about claims. A rule must evaluate to a bool. */
function claimsErrors(path: string, expression: string, isRule: boolean): FieldError[] {
  const { rule, mapping } = authenticationResults;
  const compiled = compileExpression(expression, claimsEnvironment, isRule ? rule : mapping);
  return 'error' in compiled ? [invalid(path, expression, compiled.error)] : [];
}

function claimRuleErrors(path: string, rules: readonly ClaimValidationRule[]): FieldError[] {
  const claims = new Set<string>();
  const expressions = new Set<string>();
  return rules.flatMap(({ claim, requiredValue, expression, message }, i): FieldError[] => {
    const at = index(path, i);
    if (claim !== '' && expression !== '') return [invalid(at, claim, bothSet)];
    if (claim === '' && expression === '') return [required(at, 'claim or expression is required')];
    if (claim !== '') {
      const stray = message === '' ? [] : [invalid(child(at, 'message'), message, strayProblem('claim'))];
      const again = claims.has(claim) ? [duplicate(child(at, 'claim'), claim)] : [];
      claims.add(claim);
      return [...stray, ...again];
    }
    const stray = requiredValue === '' ? [] : [invalid(child(at, 'requiredValue'), requiredValue, strayProblem())];
    const member = child(at, 'expression');
    if (expressions.has(expression)) return [...stray, duplicate(member, expression)];
    expressions.add(expression);
    return [...stray, ...claimsErrors(member, expression, true)];
  });
}

const strayProblem = (other = 'expression') => `may not be specified when ${other} is set`;

function mappingErrors(path: string, mappings: ClaimMappings, rules: readonly ClaimValidationRule[]): FieldError[] {
  const { username, groups, uid, extra } = mappings;
  const usernamePath = child(path, 'username');
  const ofUsername = prefixedErrors(usernamePath, username, true);
  const errors = [
    ...ofUsername,
    ...prefixedErrors(child(path, 'groups'), groups, false),
    ...uidErrors(child(path, 'uid'), uid),
    ...extraErrors(child(path, 'extra'), extra),
  ];
  const reads = (expression: string, claim: string) =>
    expression !== '' && claimsErrors('', expression, false).length === 0 && selects(expression, 'claims', claim);
  const usesEmail = ofUsername.length === 0 && reads(username.expression, 'email');
  const others = [...extra.map((each) => each.valueExpression), ...rules.map((rule) => rule.expression)];
  if (!usesEmail || [username.expression, ...others].some((each) => reads(each, 'email_verified'))) return errors;
  const problem =
    'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';
  return [...errors, invalid(child(usernamePath, 'expression'), username.expression, problem)];
}

function prefixedErrors(path: string, mapping: PrefixedClaim, isRequired: boolean): FieldError[] {
  const { claim, expression, prefix } = mapping;
  if (expression !== '' && claim !== '') return [invalid(path, '', bothSet)];
  if (expression !== '') {
    const stray = prefix === undefined ? [] : [invalid(child(path, 'prefix'), prefix, strayProblem())];
    return [...stray, ...claimsErrors(child(path, 'expression'), expression, false)];
  }
  if (claim === '') return isRequired ? [required(path, 'claim or expression is required')] : [];
  const problem = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing';
  return prefix === undefined ? [required(child(path, 'prefix'), problem)] : [];
}

function uidErrors(path: string, { claim, expression }: ClaimOrExpression): FieldError[] {
  if (expression === '') return [];
  return claim === '' ? claimsErrors(child(path, 'expression'), expression, false) : [invalid(path, '', bothSet)];
}

const isReserved = (domain: string): boolean => /^(.*\.)?(kubernetes|k8s)\.io$/s.test(domain);

function extraErrors(path: string, extra: ClaimMappings['extra']): FieldError[] {
  const keys = new Set<string>();
  return extra.flatMap(({ key, valueExpression }, i): FieldError[] => {
    const at = child(index(path, i), 'key');
    const reserved = 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use';
    const errors = [
      ...domainPrefixedPathErrors(at, key),
      ...(key === key.toLowerCase() ? [] : [invalid(at, key, 'must be lowercase')]),
      ...(key.includes('/') && isReserved(key.slice(0, key.indexOf('/'))) ? [invalid(at, key, reserved)] : []),
    ];
    if (keys.has(key)) return [...errors, duplicate(at, key)];
    keys.add(key);
    const value = child(index(path, i), 'valueExpression');
    return [...errors, ...(valueExpression === '' ? [required(value)] : claimsErrors(value, valueExpression, false))];
  });
}

function userRuleErrors(path: string, rules: readonly UserValidationRule[]): FieldError[] {
  const seen = new Set<string>();
  return rules.flatMap(({ expression }, i): FieldError[] => {
    const at = child(index(path, i), 'expression');
    if (expression === '') return [required(at)];
    if (seen.has(expression)) return [duplicate(at, expression)];
    seen.add(expression);
    const compiled = compileExpression(expression, userEnvironment, authenticationResults.rule);
    return 'error' in compiled ? [invalid(at, expression, compiled.error)] : [];
  });
}
