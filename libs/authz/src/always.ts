import type { AuthorizationResult, Authorizer } from './authorizer.ts';

const allowed: AuthorizationResult = { decision: 'Allow', reason: '' };
const noOpinion: AuthorizationResult = { decision: 'NoOpinion', reason: 'Everything is forbidden.' };

/** `--authorization-mode=AlwaysAllow`. */
export const alwaysAllow: Authorizer = { authorize: () => allowed };

/** `--authorization-mode=AlwaysDeny`: nobody but those an earlier authorizer lets through. */
export const alwaysDeny: Authorizer = { authorize: () => noOpinion };
