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
export {
  installWebhooks,
  readWebhookManifests,
  rewriteConversionWebhooks,
  rewriteWebhookManifests,
  uninstallWebhooks,
  waitForWebhookServer,
  type CRDConversionTarget,
  type WaitForWebhookServerOptions,
  type WebhookClientConfig,
  type WebhookConfigurationManifest,
  type WebhookConfigurationRef,
  type WebhookInstallOptions,
} from './webhooks.ts';
export { restRequest, restRequestOk, type RestConfig, type RestResponse } from './rest.ts';
