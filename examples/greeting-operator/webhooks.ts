import type { AdmissionHandler, AdmissionReview } from '@apichain/testing';
import type { Greeting } from './greeting.ts';

const texts: Readonly<Record<string, string>> = { en: 'hello', de: 'guten Tag', fr: 'bonjour' };

const specOf = ({ request }: AdmissionReview): Greeting['spec'] => request.object?.['spec'] ?? {};

/** What a Greeting says if it does not say it, in its language. */
const defaulting: AdmissionHandler = (review) => {
  const { text, language = 'en' } = specOf(review);
  const known = texts[language];
  if (text !== undefined || known === undefined) return true;
  return { allowed: true, patch: [{ op: 'add', path: '/spec/text', value: known }] };
};

/** A Greeting says something. */
const validating: AdmissionHandler = (review) => {
  const { text = '' } = specOf(review);
  if (text.trim() !== '') return true;
  return { allowed: false, status: { code: 422, message: 'spec.text: a greeting must say something' } };
};

/** The webhooks of the operator by the paths under which config/webhooks.yaml knows them. */
export const webhooks = { '/default': defaulting, '/validate': validating };
