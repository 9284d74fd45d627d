import {
  noRules,
  type AuthorizationAttributes,
  type AuthorizationResult,
  type Authorizer,
  type RuleList,
} from './authorizer.ts';

const allowed: AuthorizationResult = { decision: 'Allow', reason: '' };
const noOpinion: AuthorizationResult = { decision: 'NoOpinion', reason: '' };
const forbidden: AuthorizationResult = { decision: 'NoOpinion', reason: 'Everything is forbidden.' };

const everything: RuleList = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};

/** `--authorization-mode=AlwaysAllow`. */
export const alwaysAllow: Authorizer = { authorize: () => allowed, rulesFor: () => everything };

/** `--authorization-mode=AlwaysDeny`: allows nothing; only an earlier authorizer can allow a request. */
export const alwaysDeny: Authorizer = { authorize: () => forbidden, rulesFor: () => noRules };

/** Allows every user to GET these non-resource paths. A trailing `*` matches the rest of the path. */
export class AlwaysAllowPathsAuthorizer implements Authorizer {
  readonly #exact = new Set<string>();
  readonly #prefixes: string[] = [];

  constructor(paths: readonly string[]) {
    for (const path of paths) {
      if (path.endsWith('*')) this.#prefixes.push(path.slice(0, -1));
      else this.#exact.add(path);
    }
  }

  authorize(attributes: AuthorizationAttributes): AuthorizationResult {
    if (attributes.isResourceRequest || (attributes.verb !== 'get' && attributes.verb !== 'head')) return noOpinion;
    if (this.#exact.has(attributes.path)) return allowed;
    return this.#prefixes.some((prefix) => attributes.path.startsWith(prefix)) ? allowed : noOpinion;
  }
}

/** Allows everything to members of these groups. kube-apiserver asks this authorizer first, with `system:masters`. */
export class PrivilegedGroupsAuthorizer implements Authorizer {
  readonly #groups: readonly string[];

  constructor(...groups: string[]) {
    this.#groups = groups;
  }

  authorize(attributes: AuthorizationAttributes): AuthorizationResult {
    for (const group of this.#groups) if (attributes.user.groups.includes(group)) return allowed;
    return noOpinion;
  }
}
