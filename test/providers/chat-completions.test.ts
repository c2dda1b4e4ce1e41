import chatCompletions from '../../plugins/chat-completions/index.ts';
import { testProvider } from './provider-contract.ts';

testProvider('chat-completions', chatCompletions);
