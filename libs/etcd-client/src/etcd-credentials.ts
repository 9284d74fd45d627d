/** The client certificate and key, and the CA that etcd's certificate is verified with, as PEM text. TLS is used when any of them is set. */
export interface EtcdCredentials {
  readonly certificate?: string;
  readonly key?: string;
  readonly ca?: string;
}

export const sameCredentials = (a: EtcdCredentials, b: EtcdCredentials): boolean =>
  a.certificate === b.certificate && a.key === b.key && a.ca === b.ca;
