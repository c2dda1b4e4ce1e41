import messagesApi from '../../plugins/messages-api/index.ts';
import { testProvider } from './provider-contract.ts';

testProvider('messages-api', messagesApi);
