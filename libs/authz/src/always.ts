import { noRules, type AuthorizationResult, type Authorizer, type RuleList } from './authorizer.ts';

const allowed: AuthorizationResult = { decision: 'Allow', reason: '' };
const noOpinion: AuthorizationResult = { decision: 'NoOpinion', reason: 'Everything is forbidden.' };

const everything: RuleList = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};

/** `--authorization-mode=AlwaysAllow`. */
export const alwaysAllow: Authorizer = { authorize: () => allowed, rulesFor: () => everything };

/** `--authorization-mode=AlwaysDeny`: allows nothing; only an earlier authorizer can allow a request. */
export const alwaysDeny: Authorizer = { authorize: () => noOpinion, rulesFor: () => noRules };
