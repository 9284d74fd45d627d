export {
  TestEnvironment,
  type AuthenticatedUser,
  type EnvtestConfig,
  type ExtraArgs,
  type TestEnvironmentOptions,
  type User,
  type WebhookServing,
} from './test-environment.ts';
export { deleteCRDs, installCRDs, uninstallCRDs, type CRDManifest, type InstallCRDsOptions } from './crds.ts';
export * from './webhooks.ts';
export { restRequest, restRequestOk, type RestConfig, type RestResponse } from './rest.ts';
