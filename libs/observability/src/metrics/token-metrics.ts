import type { Registry } from 'prom-client';
import { installCounts } from './counts.ts';

/** The uses of tokens of service accounts. */
interface TokenCounts {
  readonly legacy: number;
  readonly manual: number;
  readonly generated: number;
  readonly invalidated: number;
  readonly stale: number;
  readonly valid: number;
}

const metrics: readonly (readonly [name: string, help: string, count: keyof TokenCounts])[] = [
  ['legacy_tokens_total', 'Uses of tokens that are stored in Secrets.', 'legacy'],
  ['legacy_manual_token_uses_total', 'Uses of stored tokens that users have made.', 'manual'],
  ['legacy_auto_token_uses_total', 'Uses of stored tokens that a controller has made.', 'generated'],
  ['invalid_legacy_auto_token_uses_total', 'Uses of stored tokens that were marked as invalid.', 'invalidated'],
  ['stale_tokens_total', 'Uses of tokens of pods that should have been renewed.', 'stale'],
  ['valid_tokens_total', 'Uses of tokens of pods before they have to be renewed.', 'valid'],
];

/** The metrics `serviceaccount_*`. */
export function installTokenMetrics(registry: Registry, counts: TokenCounts): void {
  for (const [name, help, count] of metrics)
    installCounts(registry, { name: `serviceaccount_${name}`, help, labelNames: [] }, () => [[{}, counts[count]]]);
}
