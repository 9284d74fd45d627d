/** How one shows etcd who one is, and whom one believes to be etcd: PEM texts. With any of them the connection is TLS. */
export interface EtcdCredentials {
  readonly certificate?: string;
  readonly key?: string;
  readonly ca?: string;
}

export const sameCredentials = (a: EtcdCredentials, b: EtcdCredentials): boolean =>
  a.certificate === b.certificate && a.key === b.key && a.ca === b.ca;
