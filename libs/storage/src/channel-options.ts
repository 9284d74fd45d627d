export interface ChannelOptions {
  /** As EtcdOptions.servers. */
  readonly servers: readonly string[];
  /** PEM texts. With any of them the connection is TLS. */
  readonly certificate?: string;
  readonly key?: string;
  readonly ca?: string;
}

export interface StreamRequest {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Milliseconds until a connection that is not there yet is given up. */
  readonly timeout: number;
}

export const unixPrefix = /^unix:(\/\/)?/;
