import type { MutatingWebhook, ValidatingWebhook, WebhookClientConfig } from '@apichain/api/admissionregistration/v1';
import {
  errorMessage,
  labelSelectorFromObject,
  newInternalError,
  type KubeObject,
  type LabelSelector,
  type LabelSelectorObject,
} from '@apichain/meta';
import { rulesFrom, type Rule } from '../rules.ts';
import { compileMatchConditions, type MatchConditions } from '../cel/match-conditions.ts';

/** One webhook of a configuration, precompiled when the configuration changes. */
export interface Webhook {
  readonly name: string;
  readonly configuration: string;
  /** Unique among the webhooks of the plugin; stable while the webhook keeps its position. */
  readonly id: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules: readonly Rule[];
  readonly failOpen: boolean;
  readonly equivalent: boolean;
  readonly namespaceSelector: ParsedSelector;
  readonly objectSelector: ParsedSelector;
  readonly reinvoke: boolean;
  readonly timeoutMs: number;
  /** Whether it may be called for a dry run. */
  readonly allowsDryRun: boolean;
  readonly reviewVersions: readonly string[];
  readonly matchConditions: MatchConditions | undefined;
}

/** A selector, or the reason why it is invalid. */
export type ParsedSelector = { readonly selector: LabelSelector } | { readonly error: string };

/** An absent selector selects everything: that is the default of the field. */
export function parseSelector(value: LabelSelectorObject | undefined): ParsedSelector {
  try {
    return { selector: labelSelectorFromObject(value ?? {}) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

/** The selector. Throws InternalError when it is invalid. */
export function selectorOf(parsed: ParsedSelector): LabelSelector {
  if ('error' in parsed) throw newInternalError(parsed.error);
  return parsed.selector;
}

const defaultTimeoutSeconds = 10;

function webhookFrom(hook: ValidatingWebhook & MutatingWebhook, configuration: string, nth: number): Webhook {
  const name = hook.name ?? '';
  const failOpen = hook.failurePolicy === 'Ignore';
  return {
    name,
    configuration,
    id: `${configuration}/${name}/${nth}`,
    clientConfig: hook.clientConfig ?? {},
    rules: rulesFrom(hook.rules),
    failOpen,
    equivalent: hook.matchPolicy !== 'Exact',
    namespaceSelector: parseSelector(hook.namespaceSelector),
    objectSelector: parseSelector(hook.objectSelector),
    reinvoke: hook.reinvocationPolicy === 'IfNeeded',
    timeoutMs: (hook.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
    allowsDryRun: hook.sideEffects === 'None' || hook.sideEffects === 'NoneOnDryRun',
    reviewVersions: hook.admissionReviewVersions ?? [],
    matchConditions: compileMatchConditions(hook.matchConditions ?? [], failOpen),
  };
}

/** A configuration of validating or mutating webhooks. */
interface WebhookConfiguration extends KubeObject {
  webhooks?: (ValidatingWebhook & MutatingWebhook)[];
}

/** The webhooks of the configurations in the order in which they are called: by name of the configuration, then as listed. */
export function webhooksOf(configurations: readonly WebhookConfiguration[]): Webhook[] {
  return configurations.flatMap((configuration) => {
    const seen = new Map<string, number>();
    return (configuration.webhooks ?? []).map((hook) => {
      const nth = seen.get(hook.name ?? '') ?? 0;
      seen.set(hook.name ?? '', nth + 1);
      return webhookFrom(hook, configuration.metadata.name ?? '', nth);
    });
  });
}
