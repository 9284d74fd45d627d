import { parseJson, serverResponseMessage } from '@apichain/meta';

const maxTextBytes = 2048;

/**
 * client-go's message for an answer that is neither a success nor a Status: a text for the code, and the body if it is text. `contentType` is empty
 * if that header is absent. Source: newUnstructuredResponseError of k8s.io/client-go/rest.
 */
export function unstructuredErrorText(status: number, contentType: string, body: Buffer): string {
  const [mediaType = ''] = contentType.split(';');
  const isText = contentType === '' || mediaType.trim().toLowerCase().startsWith('text/');
  return serverResponseMessage(status, isText ? body.toString('utf8', 0, maxTextBytes).trim() : 'unknown');
}

/** Like unstructuredErrorText, but returns the message of the Status if the answer is one. */
export function responseErrorText(status: number, contentType: string, body: Buffer): string {
  const told = statusMessage(body.toString('utf8'));
  return told === '' ? unstructuredErrorText(status, contentType, body) : told;
}

function statusMessage(body: string): string {
  if (!body.startsWith('{')) return '';
  try {
    const answer = parseJson(body);
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return '';
    const { kind, message } = answer as Readonly<Record<string, unknown>>;
    return kind === 'Status' && typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}
