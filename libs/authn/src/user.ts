/** Who makes a request: https://kubernetes.io/docs/reference/access-authn-authz/authentication/ */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
  /** What audit events say about the credentials, e.g. that they are of a kind that should go. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  /** What their owner is told of them with every answer. */
  readonly warnings?: readonly string[];
}
