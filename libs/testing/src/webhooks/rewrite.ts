/** The address at which the test process serves webhooks. */
export interface WebhookAddress {
  readonly host: string;
  readonly port: number;
  /** PEM text: the certificate authority that issued the serving certificate. */
  readonly ca: string;
}

interface ClientConfig {
  url?: string;
  caBundle?: string;
  service?: { path?: string };
}

/** The path at which controller-runtime serves conversions. */
const conversionPath = '/convert';

/** An object that may refer to webhooks: a webhook configuration or a CRD. */
interface Manifest {
  readonly kind: string;
  readonly apiVersion?: string;
  readonly spec?: unknown;
  readonly webhooks?: unknown;
}

const isConfiguration = ({ kind, apiVersion = '' }: Manifest): boolean =>
  (kind === 'ValidatingWebhookConfiguration' || kind === 'MutatingWebhookConfiguration') &&
  apiVersion.startsWith('admissionregistration.k8s.io/');

/** Returns the objects with every webhook of a Service (`clientConfig.service`) redirected to the test process, as envtest does. */
export function withWebhooksAt<T extends Manifest>(address: WebhookAddress, objects: readonly T[]): T[] {
  return objects.map((object) => withWebhookAt(address, object));
}

/** As withWebhooksAt, for one object. */
export function withWebhookAt<T extends Manifest>(address: WebhookAddress, object: T): T {
  if (isConfiguration(object)) return redirectConfiguration(address, object);
  return object.kind === 'CustomResourceDefinition' ? redirectConversion(address, object) : object;
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

/** Redirects a webhook of a Service. A webhook with a URL is not changed. */
function redirect(address: WebhookAddress, config: ClientConfig | undefined, defaultPath: string): ClientConfig {
  if (config?.url !== undefined) return config;
  const path = config?.service?.path ?? defaultPath;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return {
    url: `https://${host}:${address.port}${path === '' || path.startsWith('/') ? path : `/${path}`}`,
    caBundle: Buffer.from(address.ca).toString('base64'),
  };
}
