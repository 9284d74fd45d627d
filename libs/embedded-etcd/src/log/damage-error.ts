/**
 * A data directory that is damaged: acknowledged writes cannot be read, or are missing. The writes before the damage have been passed on, if the
 * checkpoint is whole.
 */
export class DamageError extends Error {
  override name = 'DamageError';
}
