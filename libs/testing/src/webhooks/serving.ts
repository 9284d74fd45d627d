import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { issueServing, type CertificatePair } from '@apichain/serving/certificates';
import type { Manifest } from '../manifests.ts';
import type { WebhookAddress } from './rewrite.ts';
import type { AdmissionHandler, AdmissionReview, ConversionHandler, ConversionReview } from './reviews.ts';
import { serveWebhooks, type WebhookServer } from './serve.ts';

/** The webhooks that the test process serves for a chain. */
export interface WebhookOptions {
  /**
   * ValidatingWebhookConfigurations and MutatingWebhookConfigurations: files, folders, patterns, texts or objects. A webhook with a
   * `clientConfig.service` is redirected to this process, at the path of the service. The same applies to a CRD with the conversion
   * strategy `Webhook`.
   */
  readonly configurations?: readonly Manifest[];
  /** Admission webhooks by path. */
  readonly handlers?: Readonly<Record<string, AdmissionHandler>>;
  /** Conversion webhooks by path. The path is `/convert` unless the CRD has another one. */
  readonly converters?: Readonly<Record<string, ConversionHandler>>;
  /** The address and port of the webhooks. Defaults: 127.0.0.1 and any free port. */
  readonly host?: string;
  readonly port?: number;
}

/** A review that the chain sent to a webhook of the test process. */
export interface WebhookCall {
  readonly path: string;
  readonly review: AdmissionReview | ConversionReview;
}

/** The address of a chain's webhooks, and the certificates with which a test can serve them itself. */
export interface WebhookServing extends WebhookAddress {
  readonly url: string;
  /** PEM of the serving certificate and its key. */
  readonly cert: string;
  readonly key: string;
  /** A folder with tls.crt, tls.key and ca.crt; removed when the chain stops. */
  readonly certDir: string;
  /** The last 1,000 reviews sent to `handlers` and `converters`, oldest first. */
  readonly calls: readonly WebhookCall[];
  clearCalls(): void;
}

const maxCalls = 1_000;

/** Serves `handlers` and `converters`. Without either, only finds a free port for a server of the test. */
export class RunningWebhooks implements WebhookServing {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly certDir: string;
  readonly calls: WebhookCall[] = [];
  readonly #server: WebhookServer | undefined;

  private constructor(
    at: { host: string; port: number; ca: string; directory: string },
    pair: CertificatePair,
    serving: { server: WebhookServer | undefined; calls: WebhookCall[] },
  ) {
    this.host = at.host;
    this.port = at.port;
    this.ca = at.ca;
    this.cert = pair.certificate;
    this.key = pair.key;
    this.certDir = at.directory;
    this.calls = serving.calls;
    this.#server = serving.server;
  }

  /** Creates `directory` and writes the certificates to it. Throws Node's error when the port cannot be opened. */
  static async start(options: WebhookOptions, ca: CertificatePair, directory: string): Promise<RunningWebhooks> {
    const { host = '127.0.0.1', handlers, converters } = options;
    const pair = await issueServing(ca, 'webhooks', [...new Set([host, 'localhost', '127.0.0.1', '::1'])]);
    mkdirSync(directory, { mode: 0o700 });
    for (const [name, text] of Object.entries({
      'tls.crt': pair.certificate,
      'tls.key': pair.key,
      'ca.crt': ca.certificate,
    }))
      writeFileSync(join(directory, name), text, { mode: 0o600 });
    const calls: WebhookCall[] = [];
    const serves = handlers !== undefined || converters !== undefined;
    const server = serves
      ? await serveWebhooks({
          ...options,
          cert: pair.certificate,
          key: pair.key,
          onReview: (path, review) => {
            if (calls.length === maxCalls) calls.shift();
            calls.push({ path, review });
          },
        })
      : undefined;
    const port = server?.port ?? options.port ?? (await freePort(host));
    return new RunningWebhooks({ host, port, ca: ca.certificate, directory }, pair, { server, calls });
  }

  get url(): string {
    return `https://${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.port}`;
  }

  clearCalls(): void {
    this.calls.length = 0;
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }
}
