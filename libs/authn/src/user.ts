/** Who makes a request: https://kubernetes.io/docs/reference/access-authn-authz/authentication/ */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}
