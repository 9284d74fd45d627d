import { targetOf, type FuzzRequest } from './request.ts';

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** Longer bodies are not printed. They can be reproduced with the seed and the index. */
const printedLength = 4_000;

function printedBody(body: Buffer): string {
  if (body.length > printedLength)
    return `# a body of ${body.length} bytes, beginning with ${quote(body.toString('latin1', 0, 60))}\n`;
  return `echo ${body.toString('base64')} | base64 -d | `;
}

/** A shell command that repeats the request. $CREDENTIALS stands for curl's authentication options. */
export function reproducer(url: string, request: FuzzRequest): string {
  const { method, headers, body } = request;
  const options = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined) options.push('--data-binary @-');
  const command = ['curl -ksS --path-as-is $CREDENTIALS', `-X ${method}`, ...options, quote(url + targetOf(request))];
  return `${body === undefined ? '' : printedBody(body)}${command.join(' ')}`;
}
