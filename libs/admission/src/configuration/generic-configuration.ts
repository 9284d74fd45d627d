import { field, records, text, texts } from '@apichain/meta';
import {
  configurationRoot,
  configurationStruct,
  decodeConfiguration,
  type ConfigurationKind,
  type Type,
} from '@apichain/scheme';
import { isAbsolute } from 'node:path';
import type { LimitedResource } from '../plugins/resource-quota/limited-resources.ts';
import type { AdmissionSelection } from '../registry.ts';
import { isEnabled, type PluginOrder } from '../registry.ts';
import { loadWebhookUsers, type WebhookUsers } from '../webhook/users.ts';
import type { PluginConfigurations } from './plugin-configurations.ts';

/** The configuration of the plugins that every server of the chain runs. */
export interface GenericConfiguration {
  /** Resources that may only be consumed where a quota covers them. */
  readonly limitedResources: readonly LimitedResource[];
  /** The credentials for calls to webhooks. */
  readonly webhookUsers: { readonly mutating?: WebhookUsers; readonly validating?: WebhookUsers };
}

const string: Type = { kind: 'string' };
const strings: Type = { kind: 'array', items: string };

const quotaType = configurationRoot('v1.ResourceQuotaConfiguration', {
  limitedResources: {
    kind: 'array',
    items: configurationStruct('LimitedResource', {
      apiGroup: string,
      resource: string,
      matchContains: strings,
      matchScopes: {
        kind: 'array',
        items: configurationStruct('ScopedResourceSelectorRequirement', {
          scopeName: string,
          operator: string,
          values: strings,
        }),
      },
    }),
  },
});
const quotaScheme = 'k8s.io/apiserver/pkg/admission/plugin/resourcequota/config.go:31';
const quotaKinds: readonly ConfigurationKind[] = [
  {
    kind: 'ResourceQuotaConfiguration',
    versions: new Map([['apiserver.config.k8s.io/v1', quotaType]]),
    scheme: quotaScheme,
  },
  {
    kind: 'Configuration',
    versions: new Map(['v1alpha1', 'v1beta1'].map((v) => [`resourcequota.admission.k8s.io/${v}`, quotaType])),
    scheme: quotaScheme,
  },
];

/** https://kubernetes.io/docs/concepts/policy/resource-quotas/#limit-priority-class-consumption-by-default */
function limitedResourcesOf(source: string | undefined): readonly LimitedResource[] {
  if (source === undefined) return [];
  const limited = records(decodeOneOf(source, quotaKinds).limitedResources);
  const errors = limited.flatMap(({ resource }, i) =>
    text(resource) === '' ? [field.required(`limitedResources[${i}].resource`)] : [],
  );
  if (errors.length > 0) throw new Error(field.aggregateFieldErrors(errors));
  return limited.map((given) => ({
    group: text(given.apiGroup),
    resource: text(given.resource),
    matchContains: texts(given.matchContains),
    matchScopes: records(given.matchScopes).map(({ scopeName, operator, values }) => ({
      scope: text(scopeName),
      operator: text(operator),
      values: texts(values),
    })),
  }));
}

/** Decodes the document as the first of `kinds` that has its version. */
function decodeOneOf(source: string, kinds: readonly ConfigurationKind[]): Record<string, unknown> {
  const [current] = kinds;
  const old = kinds.find(({ versions }) => [...versions.keys()].some((version) => source.includes(version)));
  const kind = old ?? current;
  if (kind === undefined) throw new Error('no kind of configuration');
  return decodeConfiguration(source, kind);
}

const webhookType = configurationRoot('v1.WebhookAdmission', { kubeConfigFile: string, staticManifestsDir: string });
const webhookScheme = 'k8s.io/apiserver/pkg/admission/plugin/webhook/config/kubeconfig.go:34';
const webhookKinds: readonly ConfigurationKind[] = [
  {
    kind: 'WebhookAdmissionConfiguration',
    versions: new Map([['apiserver.config.k8s.io/v1', webhookType]]),
    scheme: webhookScheme,
  },
  {
    kind: 'WebhookAdmission',
    versions: new Map([['apiserver.config.k8s.io/v1alpha1', webhookType]]),
    scheme: webhookScheme,
  },
];

/** https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#authenticate-apiservers */
function webhookUsersOf(source: string | undefined): WebhookUsers | undefined {
  if (source === undefined) return undefined;
  const file = text(decodeOneOf(source, webhookKinds).kubeConfigFile);
  if (file === '') return undefined;
  if (!isAbsolute(file))
    throw new Error(
      field.aggregateFieldErrors([field.invalid('kubeConfigFile', file, 'must be an absolute file path')]),
    );
  return loadWebhookUsers(file);
}

/** Reads the configuration of the enabled generic plugins. Throws Error with the text of kube-apiserver. */
export function genericConfiguration(
  configurations: PluginConfigurations,
  selection: AdmissionSelection,
  order?: PluginOrder,
): GenericConfiguration {
  const configured = <Value>(plugin: string, read: (source: string | undefined) => Value): Value =>
    isEnabled(plugin, selection, order) ? configurations.of(plugin, read) : read(undefined);
  const mutating = configured('MutatingAdmissionWebhook', webhookUsersOf);
  const validating = configured('ValidatingAdmissionWebhook', webhookUsersOf);
  return {
    limitedResources: configured('ResourceQuota', limitedResourcesOf),
    webhookUsers: {
      ...(mutating === undefined ? {} : { mutating }),
      ...(validating === undefined ? {} : { validating }),
    },
  };
}
