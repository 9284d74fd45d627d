import http2 from 'node:http2';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext, type SecureVersion, type TLSSocket, type SecureContextOptions } from 'node:tls';
import { certificatesOn, markChainLink } from '@apichain/authn';
import type { CertificatePair } from './certificates/certificate.ts';
import { SniContexts, type SniCertificate } from './dynamic-certificates/sni.ts';
import { ended } from './ending.ts';
import { parserLimits } from './head-limits.ts';
import { Http1Connections, stopListening } from './http1-connections.ts';
import { http1Limits, idleTimeoutMs, readThroughStream, respondToClientError } from './http1-limits.ts';
import { Http2Sessions } from './http2-sessions.ts';
import { UpgradedConnections, type UpgradeHandler } from './upgraded-connections.ts';
import { constants } from 'node:crypto';

/**
 * TLS options with which every certificate that a client presents reaches the authenticators. Each of them verifies the whole chain against its own
 * authorities, and again when these change; OpenSSL's verdict at the handshake is against all of them together and is not used.
 *
 * Node gives out the certificates besides the client's own with the first call of `getPeerX509Certificate` only, and makes that call itself when
 * OpenSSL accepts the client (https://github.com/nodejs/node/issues/65579). With a revocation list, OpenSSL asks for one of every authority,
 * which there is not, and so accepts none.
 *
 * A resumed session would have the client's own certificate without the others, and the client would lose its identity. So sessions are not
 * resumed. Clients of Kubernetes do not ask for it.
 */
const allClientCertificates = {
  secureOptions: constants.SSL_OP_NO_TICKET,
  /** An empty list of an authority that no one has the key of. */
  crl: `-----BEGIN X509 CRL-----
MIGYMEACAQEwCgYIKoZIzj0EAwIwETEPMA0GA1UEAwwGbm9ib2R5Fw0yNjExMjgw
MjUyMzdaFw0yNjExMjkwMjUyMzdaMAoGCCqGSM49BAMCA0gAMEUCIQDkfO36XHpc
AMdYv3O3xIGBE6IGTEysBNS8Jx+sMlM9OwIgPN/rWePaseG9FoFfv/7kdq6xPwM6
JHuXxC19zFnacTM=
-----END X509 CRL-----
`,
} satisfies SecureContextOptions;

/** The serving certificates of a listener. */
export interface ServingCertificates extends CertificatePair {
  /** PEM bundles whose subjects are sent to clients as accepted CAs. The authenticators verify client certificates, not the listener. */
  readonly clientCAs: readonly string[];
  /** Additional certificates for other host names. */
  readonly sni?: readonly SniCertificate[];
}

/** The limits of TLS handshakes. */
export interface HandshakeLimits {
  readonly minVersion: SecureVersion;
  /** A cipher list in OpenSSL format; default: Node's list. */
  readonly ciphers?: string;
  /** A list of key exchange groups in OpenSSL format; default: Node's list. */
  readonly ecdhCurve?: string;
}

/** The address and the options of a listener. */
export interface ListenerOptions extends ServingCertificates {
  readonly bindAddress: string;
  /** 0 = any free port. */
  readonly port: number;
  /** The Unix socket for the previous server of the chain, see LinkListener. */
  readonly linkSocket?: string;
  /** Registers the listener for changed certificates. Errors of `reload` are thrown to its caller. */
  readonly onChange?: (reload: (certificates: ServingCertificates) => void) => void;
  readonly maxConcurrentStreams: number;
  readonly disableHttp2?: boolean;
  /** Default: TLS 1.2 and newer. */
  readonly handshake?: HandshakeLimits;
}

/** The handlers of a connection's requests. */
export interface LinkHandlers {
  /** The classes of HTTP/1 requests and responses. */
  readonly messages: {
    readonly IncomingMessage: typeof IncomingMessage;
    readonly ServerResponse: typeof ServerResponse;
  };
  /** Also receives HTTP/2 requests, through Node's compatibility classes; `httpVersionMajor` tells them apart. */
  readonly request: RequestListener;
  readonly upgrade: UpgradeHandler;
}

interface ListenerHandlers extends LinkHandlers {
  /** Whether the client is the previous server of the chain. */
  readonly isFromChain: (socket: TLSSocket) => boolean;
  readonly handshakeFailed?: () => void;
}

/**
 * One TLS port for HTTP/1.1 and HTTP/2: ALPN decides which of two internal servers handles the connection.
 * Limits are those of kube-apiserver (idle 90 s, headers 32 s and 1 MiB, see head-limits.ts).
 */
export class Listener {
  readonly #server: https.Server;
  readonly #http2: http2.Http2Server;
  readonly #sockets = new Set<TLSSocket>();
  readonly #connections: Http1Connections;
  readonly #sessions: Http2Sessions;
  readonly #upgraded = new UpgradedConnections();
  readonly #options: ListenerOptions;
  #sni: SniContexts | undefined;

  constructor(options: ListenerOptions, handlers: ListenerHandlers) {
    this.#options = options;
    this.#sni = this.#sniContexts(options);
    options.onChange?.((certificates) => this.reload(certificates));
    this.#server = https.createServer(
      {
        ...this.#material(options),
        ...(this.#sni === undefined ? {} : { SNICallback: (name, done) => done(null, this.#sni?.contextFor(name)) }),
        ...handlers.messages,
        ALPNProtocols: options.disableHttp2 === true ? ['http/1.1'] : ['h2', 'http/1.1'],
        requestCert: true,
        rejectUnauthorized: false,
        ...http1Limits,
      },
      handlers.request,
    );
    this.#server.maxHeadersCount = parserLimits.maxHeadersCount;
    this.#connections = new Http1Connections(this.#server, 'secureConnection');
    this.#http2 = createHttp2(options, handlers);
    this.#sessions = new Http2Sessions(this.#http2, idleTimeoutMs);
    this.#splitByProtocol(handlers);
    this.#server.on('upgrade', (request, socket, head) => this.#upgraded.take(handlers.upgrade, request, socket, head));
    this.#server.on('clientError', respondToClientError);
    this.#server.on('tlsClientError', (_error, socket) => {
      handlers.handshakeFailed?.();
      socket.destroy();
    });
  }

  /** Node's https server passes every TLS connection to its HTTP/1 parser. Connections that negotiated h2 must go to the HTTP/2 server. */
  #splitByProtocol({ isFromChain }: ListenerHandlers): void {
    const toHttp1 = this.#server.listeners('secureConnection');
    this.#server.removeAllListeners('secureConnection');
    this.#server.on('secureConnection', (socket: TLSSocket) => {
      socket.on('error', () => socket.destroy());
      // Also discards what OpenSSL noted when it could not verify them. Otherwise it would take that for an error of the connection.
      certificatesOn(socket);
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      if (socket.alpnProtocol === 'h2') this.#http2.emit('connection', socket);
      else {
        if (isFromChain(socket)) markChainLink(socket, 'certificate');
        for (const listener of toHttp1) Reflect.apply(listener, this.#server, [socket]);
        readThroughStream(socket);
      }
    });
  }

  /** Resolves with the address once the port is open. Rejects with Node's error (EADDRINUSE, EACCES, ...). */
  async listen(): Promise<AddressInfo> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: this.#options.bindAddress, port: this.#options.port, backlog: 1024 }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    return this.#server.address() as AddressInfo;
  }

  /** Sets the certificates of new connections; open connections stay unchanged. Throws Error, without any change, if a certificate is invalid. */
  reload(certificates: ServingCertificates): void {
    const sni = this.#sniContexts(certificates);
    const material = this.#material(certificates);
    createSecureContext(material);
    this.#server.setSecureContext(material);
    this.#sni = sni;
  }

  /**
   * Takes no new connections, which go to another process that listens on the port. Connections are closed after their next response, none before,
   * and HTTP/2 clients learn that they should open others. So no request meets a connection that is being closed.
   */
  handOver(): void {
    stopListening(this.#server);
    this.#connections.announceEnd();
    this.#sessions.announceEnd();
  }

  /** Refuses new connections and closes idle ones, others after their responses; HTTP/2 clients get GOAWAY. */
  stopAccepting(): void {
    this.#server.close();
    this.#sessions.end();
  }

  /**
   * Closes the remaining connections. Resolves when what was written to them has been sent, see `ended`. A process that ends before that takes
   * responses away from its clients.
   */
  async close(): Promise<void> {
    this.#upgraded.destroy();
    await ended(this.#connections, this.#sessions);
    for (const socket of this.#sockets) socket.destroy();
  }

  /** TLS options shared by all certificates of the listener. */
  #shared({ clientCAs }: ServingCertificates) {
    const { handshake = { minVersion: 'TLSv1.2' } } = this.#options;
    return { ...handshake, ...allClientCertificates, ...(clientCAs.length > 0 ? { ca: [...clientCAs] } : {}) };
  }

  #material(certificates: ServingCertificates) {
    return { cert: certificates.certificate, key: certificates.key, ...this.#shared(certificates) };
  }

  #sniContexts(certificates: ServingCertificates): SniContexts | undefined {
    const { sni = [] } = certificates;
    return sni.length === 0 ? undefined : new SniContexts(sni, this.#shared(certificates));
  }
}

function createHttp2(options: ListenerOptions, handlers: ListenerHandlers): http2.Http2Server {
  const server = http2.createServer({
    settings: { maxConcurrentStreams: options.maxConcurrentStreams, maxHeaderListSize: parserLimits.maxHeaderSize },
    maxHeaderListPairs: parserLimits.maxHeadersCount,
  });
  server.addListener('request', handlers.request);
  server.on('sessionError', (_error, session) => session.destroy());
  return server;
}
