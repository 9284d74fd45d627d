import type { UserInfo } from '../authenticator.ts';
import { credentialIdKey, serviceAccountGroups, serviceAccountPrefix } from '../well-known.ts';
import type { BoundObject } from './claims.ts';

/** The service account of a valid token, and the objects that the token is bound to. */
interface AccountInfo {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly pod?: BoundObject;
  readonly node?: BoundObject;
  /** The token's `jti`. */
  readonly tokenId?: string;
}

const extraPrefix = 'authentication.kubernetes.io/';

/** https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#additional-metadata-in-pod-bound-tokens */
export function accountUser({ namespace, name, uid, pod, node, tokenId = '' }: AccountInfo): UserInfo {
  const extra: Record<string, readonly string[]> = {};
  if (pod !== undefined) {
    extra[`${extraPrefix}pod-name`] = [pod.name];
    extra[`${extraPrefix}pod-uid`] = [pod.uid ?? ''];
  }
  if (tokenId !== '') extra[credentialIdKey] = [`JTI=${tokenId}`];
  if (node !== undefined) {
    extra[`${extraPrefix}node-name`] = [node.name];
    if ((node.uid ?? '') !== '') extra[`${extraPrefix}node-uid`] = [node.uid ?? ''];
  }
  return { name: `${serviceAccountPrefix}${namespace}:${name}`, uid, groups: serviceAccountGroups(namespace), extra };
}
