import type { RestClient } from '@apichain/client';
import { record, text, texts } from '@apichain/meta';
import { callError, RegistrationError } from './registration-error.ts';

const allPowerfulGroup = 'system:masters';

/** The user as which a client calls the API server. */
interface ClientIdentity {
  readonly user: string;
  /** Whether the user may do everything without any role. */
  readonly isAllPowerful: boolean;
}

/**
 * Asks the API server who the client is. Throws RegistrationError.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review
 */
export async function identityOf(client: RestClient): Promise<ClientIdentity> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  try {
    const reviewed = await client.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, review);
    const userInfo = record(record(record(reviewed)['status'])['userInfo']);
    const user = text(userInfo['username']);
    if (user === '') throw new RegistrationError('the API server does not say who the user of the kubeconfig is');
    return { user, isAllPowerful: texts(userInfo['groups']).includes(allPowerfulGroup) };
  } catch (error) {
    throw callError('cannot find out the user of the kubeconfig', error);
  }
}
