/** Where the webhooks of the test process are served. */
export interface WebhookAddress {
  readonly host: string;
  readonly port: number;
  /** PEM of the authority that issued the serving certificate. */
  readonly ca: string;
}

interface ClientConfig {
  url?: string;
  caBundle?: string;
  service?: { path?: string };
}

/** Where controller-runtime serves conversions. */
const conversionPath = '/convert';

/** What may name a webhook: a webhook configuration or a CRD. */
interface Manifest {
  readonly kind: string;
  readonly apiVersion?: string;
  readonly spec?: unknown;
  readonly webhooks?: unknown;
}

const isConfiguration = ({ kind, apiVersion = '' }: Manifest): boolean =>
  (kind === 'ValidatingWebhookConfiguration' || kind === 'MutatingWebhookConfiguration') &&
  apiVersion.startsWith('admissionregistration.k8s.io/');

/** The objects, with what would be called inside a cluster (`clientConfig.service`) called in the test process instead, as envtest does. */
export function withWebhooksAt<T extends Manifest>(address: WebhookAddress, objects: readonly T[]): T[] {
  return objects.map((object) => {
    if (isConfiguration(object)) return redirectConfiguration(address, object);
    return object.kind === 'CustomResourceDefinition' ? redirectConversion(address, object) : object;
  });
}

function redirectConfiguration<T extends Manifest>(address: WebhookAddress, object: T): T {
  const webhooks = (object.webhooks ?? []) as { clientConfig?: ClientConfig }[];
  return {
    ...object,
    webhooks: webhooks.map((webhook) => ({ ...webhook, clientConfig: redirect(address, webhook.clientConfig, '') })),
  };
}

function redirectConversion<T extends Manifest>(address: WebhookAddress, crd: T): T {
  const spec = (crd.spec ?? {}) as { conversion?: { strategy?: string; webhook?: { clientConfig?: ClientConfig } } };
  const { conversion } = spec;
  if (conversion?.strategy !== 'Webhook') return crd;
  const webhook = { conversionReviewVersions: ['v1'], ...conversion.webhook };
  const clientConfig = redirect(address, webhook.clientConfig, conversionPath);
  return { ...crd, spec: { ...spec, conversion: { ...conversion, webhook: { ...webhook, clientConfig } } } };
}

/** A url that was written down stays: only what names a Service is called elsewhere. */
function redirect(address: WebhookAddress, config: ClientConfig | undefined, defaultPath: string): ClientConfig {
  if (config?.url !== undefined) return config;
  const path = config?.service?.path ?? defaultPath;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return {
    url: `https://${host}:${address.port}${path === '' || path.startsWith('/') ? path : `/${path}`}`,
    caBundle: Buffer.from(address.ca).toString('base64'),
  };
}
