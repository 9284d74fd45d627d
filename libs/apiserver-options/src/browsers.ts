import { errorMessage } from '@apichain/meta';
import { re2Library } from '@apichain/schema';
import { FlagError } from './flag.ts';
import type { ParsedFlags } from './parse-flags.ts';

const corsHelp =
  "an origin is matched anywhere, so an expression should hold the start of the host ('^' or '//') and its end ('$' or ':'), as in //example.com(:|$)";

/** `--cors-allowed-origins`. Throws FlagError for an invalid expression, or one that would match more hosts than intended. */
export function corsOriginsOf(flags: ParsedFlags): readonly string[] {
  const origins = flags.strings('cors-allowed-origins');
  for (const origin of origins) {
    const problem = originProblem(origin);
    if (problem !== undefined) {
      throw new FlagError(`--cors-allowed-origins has an invalid regular expression: ${problem}, help: ${corsHelp}`);
    }
  }
  return origins;
}

function originProblem(origin: string): string | undefined {
  try {
    re2Library().RE2JS.compile(origin);
  } catch (error) {
    return errorMessage(error);
  }
  const holdsStart = ['^', '//'].some((mark) => origin.includes(mark));
  const holdsEnd = ['$', ':'].some((mark) => origin.includes(mark));
  if (holdsStart && holdsEnd) return undefined;
  return 'regular expression does not pin to start/end of host in the origin header';
}

/** `--strict-transport-security-directives`. Throws FlagError for directives that RFC 6797 does not define. */
export function hstsDirectivesOf(flags: ParsedFlags): readonly string[] {
  const directives = flags.strings('strict-transport-security-directives');
  for (const directive of directives) {
    if (directive === '') throw new FlagError('empty value in strict-transport-security-directives');
    if (/^(includeSubDomains|preload|max-age=[^=]*)$/.test(directive)) continue;
    throw new FlagError(
      '--strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information',
    );
  }
  return directives;
}
