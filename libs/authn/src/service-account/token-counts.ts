/** How often tokens of service accounts were used, for the metrics. A token that a cache still knows is not counted again. */
export class ServiceAccountTokenCounts {
  /** Tokens without audiences, which are stored in Secrets. */
  legacy = 0;
  /** Stored tokens that users made. */
  manual = 0;
  /** Stored tokens that a controller made. */
  generated = 0;
  /** Stored tokens that were marked as invalid. */
  invalidated = 0;
  /** Tokens of pods that should have been renewed by their clients. */
  stale = 0;
  /** Other tokens of pods whose expiry was extended. */
  valid = 0;
}
