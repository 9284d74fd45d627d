export {
  kmsHealthCheckName,
  loadEncryptionConfig,
  type EncryptionHealthCheck,
  type EncryptionTransformers,
  type LoadOptions as EncryptionLoadOptions,
  type ReloadOutcome,
} from './encryption-config.ts';
