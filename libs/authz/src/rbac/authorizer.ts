import type { UserInfo } from '@apichain/authn';
import { aggregateMessage } from '@apichain/meta';
import type { AuthorizationAttributes, AuthorizationResult, Authorizer, RuleList } from '../authorizer.ts';
import type { Copy } from '../followed-copy.ts';
import { ruleAllows, type PolicyRule } from './policy-rule.ts';
import type { RoleSource } from './role-source.ts';
import { type Grant, describeGrant, visitGrants } from './rule-resolver.ts';

/** The most rules that a review lists. */
const mostListed = 100_000;

/**
 * `--authorization-mode=RBAC`: allows what a role bound to the user grants, and never denies.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
export class RbacAuthorizer implements Authorizer {
  readonly #source: RoleSource;
  readonly #copy: Copy | undefined;

  /** `copy` is the data behind the source, where that data may be slightly behind. */
  constructor(source: RoleSource, copy?: Copy) {
    this.#source = source;
    this.#copy = copy;
  }

  async authorize(attributes: AuthorizationAttributes): Promise<AuthorizationResult> {
    const version = this.#copy?.version;
    const result = await this.#decide(attributes);
    if (result.decision === 'Allow' || this.#copy === undefined) return result;
    await this.#copy.catchUp();
    return this.#copy.version === version ? result : this.#decide(attributes);
  }

  async #decide(attributes: AuthorizationAttributes): Promise<AuthorizationResult> {
    const errors: string[] = [];
    let through: Grant | undefined;
    const namespace = attributes.isResourceRequest ? attributes.namespace : '';
    await visitGrants(this.#source, attributes.user, namespace, (grant) => {
      if (grant.error !== undefined) errors.push(grant.error);
      if (grant.rules.some((rule) => ruleAllows(rule, attributes))) through = grant;
      return through === undefined;
    });
    if (through !== undefined) {
      return { decision: 'Allow', reason: `RBAC: allowed by ${describeGrant(through.binding, through.subject)}` };
    }
    return { decision: 'NoOpinion', reason: errors.length === 0 ? '' : `RBAC: ${aggregateMessage(errors)}` };
  }

  async rulesFor(user: UserInfo, namespace: string): Promise<RuleList> {
    await this.#copy?.catchUp();
    const rules: PolicyRule[] = [];
    const errors: string[] = [];
    let incomplete = false;
    await visitGrants(this.#source, user, namespace, (grant) => {
      for (const rule of grant.rules) if (rules.length < mostListed) rules.push(rule);
      if (grant.error !== undefined) errors.push(grant.error);
      incomplete = rules.length >= mostListed;
      return !incomplete;
    });
    if (incomplete) errors.push(`only the first ${mostListed} rules are listed`);
    return {
      resourceRules: rules.flatMap(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) =>
        resources.length === 0 ? [] : [{ verbs, apiGroups, resources, resourceNames }],
      ),
      nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
        nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
      ),
      incomplete,
      ...(errors.length === 0 ? {} : { evaluationError: aggregateMessage(errors) }),
    };
  }
}
