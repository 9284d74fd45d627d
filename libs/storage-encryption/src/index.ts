export { loadEncryptionConfig, type EncryptionTransformers, type ReloadOutcome } from './encryption-config.ts';
