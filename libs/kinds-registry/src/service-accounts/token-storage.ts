import type { TokenRequest } from '@apichain/api/authentication/v1';
import type { ServiceAccount } from '@apichain/api/core/v1';
import type { ResourceStorage } from '@apichain/apiserver';
import { CreateOnlyStorage } from '@apichain/kinds';
import type { HookContext, StoredVersion } from '../strategies/server-hooks.ts';
import { requestToken } from './token-request.ts';

/** `serviceaccounts/token`: answers a TokenRequest; nothing is stored. */
export function tokenRequests(
  { resource, store: accounts }: StoredVersion<ServiceAccount>,
  { options: { tokenIssuer, serves }, store }: HookContext,
): ResourceStorage[] {
  return [
    new CreateOnlyStorage<TokenRequest>({
      path: 'serviceaccounts/token',
      info: { ...resource.info, kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } },
      keepsSystemFields: true,
      trackFields: true,
      create: (ctx, name, request, options) =>
        requestToken(
          { accounts, store, ...(serves === undefined ? {} : { serves }) },
          tokenIssuer,
          ctx,
          name,
          request,
          options,
        ),
    }),
  ];
}
