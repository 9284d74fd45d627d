export { TestEnvironment } from './test-environment.ts';
export type {
  AuthenticatedUser,
  EnvtestConfig,
  ExtraArgs,
  TestEnvironmentOptions,
  User,
  WebhookServing,
} from './options.ts';
export type { BinaryPaths } from './binaries.ts';
export {
  certificateCommonName,
  generateServiceAccountKeys,
  TinyCA,
  type CertKeyPair,
  type ServiceAccountKeys,
} from './certificates.ts';
export { deleteCRDs, installCRDs, uninstallCRDs, type CRDManifest, type InstallCRDsOptions } from './crds.ts';
export {
  buildKubeconfig,
  loadKubeconfig,
  parseKubeconfig,
  type KubeconfigInput,
  type LoadedKubeconfig,
  type LoadKubeconfigOptions,
  type ParsedKubeconfig,
  type ParseKubeconfigOptions,
} from './kubeconfig.ts';
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
export { restRequest, restRequestOk, type AnyJson, type RestConfig, type RestResponse } from './rest.ts';
