export { coreApiOf, type CoreApi, type CoreApiParts } from './core-api.ts';
export {
  coreApiFlags,
  delegatedAuthenticationFlags,
  delegatedAuthorizationFlags,
  delegationFlags,
  extensionAdmissionFlags,
} from './flags.ts';
