/** The user who makes a request: https://kubernetes.io/docs/reference/access-authn-authz/authentication/ */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
  /** Audit annotations about the credentials, e.g. that their kind is deprecated. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  /** Warnings about the credentials, sent with every response. */
  readonly warnings?: readonly string[];
}
