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

/** How webhooks are redirected. */
interface RedirectOptions {
  /** Whether webhooks with a URL are redirected too, to the path of the URL. Default: only those of a Service. */
  readonly urls?: boolean;
}

/** Returns the objects with every webhook of a Service (`clientConfig.service`) redirected to the test process, as envtest does. */
export function withWebhooksAt<T extends Manifest>(
  address: WebhookAddress,
  objects: readonly T[],
  options: RedirectOptions = {},
): T[] {
  return objects.map((object) => withWebhookAt(address, object, options));
}

/** As withWebhooksAt, for one object. */
export function withWebhookAt<T extends Manifest>(
  address: WebhookAddress,
  object: T,
  options: RedirectOptions = {},
): T {
  const redirect = redirection(address, options);
  if (isConfiguration(object)) return redirectConfiguration(object, redirect);
  return object.kind === 'CustomResourceDefinition' ? redirectConversion(object, redirect) : object;
}

type Redirect = (config: ClientConfig | undefined, defaultPath: string) => ClientConfig;

function redirectConfiguration<T extends Manifest>(object: T, redirect: Redirect): T {
  const webhooks = (object.webhooks ?? []) as { clientConfig?: ClientConfig }[];
  return {
    ...object,
    webhooks: webhooks.map((webhook) => ({ ...webhook, clientConfig: redirect(webhook.clientConfig, '/') })),
  };
}

function redirectConversion<T extends Manifest>(crd: T, redirect: Redirect): T {
  const spec = (crd.spec ?? {}) as { conversion?: { strategy?: string; webhook?: { clientConfig?: ClientConfig } } };
  const { conversion } = spec;
  if (conversion?.strategy !== 'Webhook') return crd;
  const webhook = { conversionReviewVersions: ['v1', 'v1beta1'], ...conversion.webhook };
  const clientConfig = redirect(webhook.clientConfig, conversionPath);
  return { ...crd, spec: { ...spec, conversion: { ...conversion, webhook: { ...webhook, clientConfig } } } };
}

function redirection(address: WebhookAddress, { urls = false }: RedirectOptions): Redirect {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return (config, defaultPath) => {
    if (config?.url !== undefined && !urls) return config;
    const ofUrl = config?.url === undefined ? undefined : new URL(config.url).pathname;
    const path = config?.service?.path ?? ofUrl ?? defaultPath;
    return {
      url: `https://${host}:${address.port}${path === '' || path.startsWith('/') ? path : `/${path}`}`,
      caBundle: Buffer.from(address.ca).toString('base64'),
    };
  };
}
