import { newBadRequest } from '@apichain/meta';

const highestPort = 65535;

/**
 * Checks the ports in the parameters of `pods/portforward`: each is a number, or several separated by commas. Throws BadRequest with the text of
 * Go's strconv. https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
 */
export function checkForwardedPorts(parameters: readonly string[]): void {
  for (const port of parameters.flatMap((parameter) => parameter.split(','))) {
    const digits = /^\d+$/.test(port);
    if (digits && Number(port) <= highestPort) continue;
    const problem = digits ? 'value out of range' : 'invalid syntax';
    throw newBadRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(port)}: ${problem}`);
  }
}
