import assert from 'node:assert/strict';
import { field } from '@apichain/meta';
import { parseAuthenticationConfiguration } from './authentication-configuration.ts';
import { authenticationConfigurationErrors } from './configuration-validation.ts';

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n';
const parse = (text: string) => parseAuthenticationConfiguration(`${head}${text}`);
const problems = (text: string) =>
  field.aggregateFieldErrors(authenticationConfigurationErrors(parse(text), ['https://me']));
const issuer = 'issuer: {url: "https://x", audiences: [a]}';

describe('an AuthenticationConfiguration', () => {
  it('is read strictly', () => {
    const { jwt, anonymous } = parse(`anonymous: {enabled: true, conditions: [{path: /livez}]}\njwt:\n- ${issuer}\n`);
    assert.deepEqual(anonymous, { enabled: true, conditions: [{ path: '/livez' }] });
    assert.deepEqual(jwt[0]?.claimMappings.username, { claim: '', expression: '' });
    assert.deepEqual(jwt[0]?.issuer.audiences, ['a']);
    assert.throws(() => parseAuthenticationConfiguration(''), { message: 'empty config data' });
    assert.throws(() => parse('jwt: [{foo: 1}]\n'), {
      message: 'strict decoding error: unknown field "jwt[0].foo"',
    });
    assert.throws(() => parseAuthenticationConfiguration(head.replace('Authentication', 'Authorization')), {
      message: 'expected AuthenticationConfiguration, got *apiserver.AuthorizationConfiguration',
    });
  });

  it('is refused with the messages of kube-apiserver', () => {
    const cases: readonly (readonly [string, string])[] = [
      [
        'jwt: [{}]',
        '[jwt[0].issuer.url: Required value, jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required, jwt[0].claimMappings.username: Required value: claim or expression is required]',
      ],
      [
        'jwt: [{issuer: {url: "http://x?q", audiences: [a, a]}, claimMappings: {username: {claim: sub, prefix: ""}}}]',
        '[jwt[0].issuer.url: Invalid value: "http://x?q": URL scheme must be https, jwt[0].issuer.url: Invalid value: "http://x?q": URL must not contain a query, jwt[0].issuer.audiences[1]: Duplicate value: "a", jwt[0].issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences]',
      ],
      [
        'jwt: [{issuer: {url: "https://me", discoveryURL: "https://me/", audiences: [a], certificateAuthority: z}, claimMappings: {username: {claim: sub}}}]',
        '[jwt[0].issuer.url: Invalid value: "https://me": URL must not overlap with disallowed issuers: [https://me], jwt[0].issuer.discoveryURL: Invalid value: "https://me/": discoveryURL must be different from URL, jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates, jwt[0].claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing]',
      ],
      [
        `jwt: [{${issuer}, claimMappings: {username: {expression: claims.email}}}]`,
        'jwt[0].claimMappings.username.expression: Invalid value: "claims.email": claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
      ],
      [
        `jwt: [{${issuer}, claimMappings: {username: {expression: claims.email}}, claimValidationRules: [{expression: "claims.?email_verified.orValue(true) == true"}, {expression: claims.a}, {claim: a, message: m}]}]`,
        '[jwt[0].claimValidationRules[1].expression: Invalid value: "claims.a": must evaluate to bool, jwt[0].claimValidationRules[2].message: Invalid value: "m": may not be specified when claim is set]',
      ],
      [
        `jwt: [{${issuer}, claimMappings: {username: {claim: sub, prefix: ""}, extra: [{key: x.k8s.io/A, valueExpression: ""}, {key: foo, valueExpression: claims.a}]}, userValidationRules: [{expression: "user.foo == 1"}]}]`,
        `[jwt[0].claimMappings.extra[0].key: Invalid value: "x.k8s.io/A": must be lowercase, jwt[0].claimMappings.extra[0].key: Invalid value: "x.k8s.io/A": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use, jwt[0].claimMappings.extra[0].valueExpression: Required value, jwt[0].claimMappings.extra[1].key: Invalid value: "foo": must be a domain-prefixed path (such as "acme.io/foo"), jwt[0].userValidationRules[0].expression: Invalid value: "user.foo == 1": compilation failed: ERROR: <input>:1:5: undefined field 'foo'\n | user.foo == 1\n | ....^]`,
      ],
      [
        'anonymous: {conditions: [{path: /a}]}',
        'anonymous.conditions: Invalid value: [{"Path":"/a"}]: enabled should be set to true when conditions are defined',
      ],
    ];
    for (const [text, message] of cases) assert.equal(problems(text), message);
  });
});
