/**
 * Words and phrases that head every list of leaked passwords, folded as
 * `passwords.ts` folds: lower case, without separators, digits around them and
 * the usual letter substitutions. Twelve characters of them are no secret.
 */
const WORDS = `
password passwords passw0rd passwort passwd passphrase mypassword mypasswords thepassword
thisismypassword thisisapassword thisispassword newpassword oldpassword yourpassword
defaultpassword temporarypassword temppassword tempassword testpassword userpassword
rootpassword adminpassword administratorpassword masterpassword loginpassword
passwordone passwordpass passwordpassword passwordadmin passwordlogin passwordtest
passwordis passwordisa ilovepasswords nopassword nopasswords forgotpassword
forgotmypassword iforgotmypassword iforgot changepassword changeme changemenow
changemeplease pleasechangeme pleasechange changethis changethispassword changeit
secret secrets topsecret mysecret supersecret secretsecret thisissecret
admin admins administrator administrators adminadmin adminadminadmin adminroot superadmin
superadministrator sysadmin systemadmin rootroot rootrootroot root rootadmin toor
user username useruser testuser guest guestguest guestuser default defaultuser
test testing tester testtest testtesttest testingtesting test test demo demodemo example
sample temp temporary login loginlogin letmein letmeinletmein letmeinnow letmeinplease
pleaseletmein openup opensesame welcome welcomewelcome welcomehome welcomeback
welcometo hello hellohello helloworld hellokitty hellothere hellomoto helloyou
qwerty qwert qwertz qwertyqwerty qwertyuiop qwertyui qwertyuio qwertyuiopasdf
qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm qwertzuiop qwertzuiopu azerty azertyuiop
asdf asdfasdf asdfasdfasdf asdfg asdfgh asdfghjkl asdfghjklqwertyuiop asdfqwer
asdfqwerzxcv qwerasdf qwerasdfzxcv zxcv zxcvb zxcvbn zxcvbnm zxcvbnmasdfghjkl
qazwsx qazwsxedc qazwsxedcrfv qazwsxedcrfvtgb qazqaz qweasd qweasdzxc qweqwe qweqweqwe
qwaszx abc abcabc abcabcabc abcd abcde abcdef abcdefg abcdefgh abcdefghi abcdefghij
abcdefghijk abcdefghijkl abcdefghijklm abcdefghijklmnop abcdefghijklmnopqrstuvwxyz
aaaaaa bbbbbb xxxxxx zzzzzz xyz xyzxyz
iloveyou iloveyoutoo iloveyousomuch iloveyouforever iloveyoubaby iloveyoumore iloveu
iloveuforever iluvu ilove iloveme ilovemyself ilovehim iloveher ilovegod ilovejesus
ilovemymom ilovemydad ilovemyfamily ilovemyson ilovemydog ilovemycat ilovemybaby
ilovemylife ilovemusic ilovemoney ilovechocolate iloveyouiloveyou loveyou loveyoualways
loveme loveforever loveislove truelove mylove myfirstlove firstlove lovelove lovelovelove
babygirl babyboy babyblue sweetheart honeybunny darling princess princessprincess
littleprincess prince sunshine sunshinesunshine flower flowers butterfly butterflies
rainbow angel angels guardianangel superstar rockstar
football footballfootball baseball basketball volleyball softball soccer soccerball hockey
icehockey tennis golf golfer cricket rugby skateboard snowboard skateboarding snowboarding
liverpool liverpoolfc manchester manchesterunited manchestercity manunited chelsea
chelseafc arsenal arsenalfc barcelona barcelonafc fcbarcelona realmadrid realmadridcf
juventus bayernmunich galatasaray fenerbahce yankees redsox lakers cowboys dallascowboys
steelers packers greenbaypackers eagles patriots raiders ronaldo cristianoronaldo messi
lionelmessi michaeljordan
superman batman batmanbatman spiderman ironman captainamerica wolverine deadpool joker
starwars startrek darthvader skywalker lukeskywalker anakinskywalker theforce
maytheforcebewithyou matrix harrypotter hogwarts gryffindor slytherin gandalf
lordoftherings gameofthrones winteriscoming walkingdead pokemon pikachu charizard naruto
dragonball dragonballz minecraft fortnite roblox callofduty counterstrike worldofwarcraft
leagueoflegends assassinscreed grandtheftauto finalfantasy kingdomhearts playstation
nintendo supermario zelda tetris mickeymouse donaldduck winniethepooh tinkerbell
scoobydoo spongebob spongebobsquarepants simpsons bartsimpson homersimpson
monkey monkeymonkey dragon dragons dragonfly master masters mastermaster shadow tiger
tigers panther phoenix eagle falcon wolf wolves lion lionking elephant dolphin dolphins
penguin turtle chicken cookie cookies cookiemonster chocolate strawberry blueberry
watermelon pineapple banana peanutbutter cheese cheesecake pizza cocacola pepsi
coffee whiskey jackdaniels budweiser heineken
jessica ashley michael michelle jennifer jordan daniel andrew joshua matthew anthony
william christopher alexander alexandra alexandria elizabeth stephanie samantha
victoria charlotte nicholas benjamin jonathan christian christina christine katherine
catherine gabriel gabriela sebastian francisco fernando alejandro alejandra guadalupe
computer computers internet samsung samsunggalaxy iphone android windows microsoft
google googlegoogle facebook facebookpassword myfacebook youtube instagram twitter
linkedin myspace yahoo hotmail gmail myspacepassword wordpress database server
network security mustang corvette camaro ferrari lamborghini porsche mercedes
mercedesbenz volkswagen harley harleydavidson motorcycle yamaha kawasaki suzuki honda
toyota nissan chevrolet silverado
freedom liberty america american unitedstates newyork newyorkcity losangeles california
chicago florida texas london londonengland england ireland scotland germany deutschland
france paris espana mexico brasil australia canada jamaica singapore philippines
january february march april june july august september october november december
monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter
springtime summertime wintertime summersummer winterwinter
jesus jesuschrist jesusislord jesuslovesme jesusismylord jesussaves godisgood godisgreat
godislove godblessme godblessyou blessed blessing faith hope grace heaven trustingod
trustno trustnoone trustme whatever whatsup nothing nothingness something somebody
nobody everybody unknown forever foreverandever foreveryoung foreveralone together
metallica nirvana linkinpark greenday slipknot eminem beatles thebeatles blink
mychemicalromance avengedsevenfold ledzeppelin pinkfloyd acdc gunsnroses ironmaiden
killer hunter ranger ninja samurai pirate pirates warrior soldier fuckyou fuckme fuckoff
fucku fuckyoubitch fuckthis fucker asshole bitch biteme bullshit sexy sexygirl
getmein getlost goaway blahblah blahblahblah nevermind neveragain dontforget
donotforget rememberme remember memories nopasswordneeded accessgranted access
letmepass opendoor money moneymoney moneymaker makemoney bigmoney dollar dollars
million millionaire billionaire business company companyname enterprise banking bank
mybank bankpassword creditcard creditunion finance loan loans lender mortgage treasury
letmeinagain pass passpass passpasspass passme passkey passcode keykey mykey apikey
`;

/** The list; see above. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  WORDS.split(/\s+/).filter((word) => word !== ''),
);

/** Rows and diagonals of keyboards, the alphabet and the digits, as fingers run over them. */
export const KEYBOARD_RUNS: readonly string[] = [
  '01234567890123456789012345678901234567890',
  '98765432109876543210987654321098765432109',
  'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz',
  'zyxwvutsrqponmlkjihgfedcbazyxwvutsrqponmlkjihgfedcba',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  'poiuytrewqlkjhgfdsamnbvcxz',
  '1234567890qwertyuiopasdfghjklzxcvbnm',
  'qwertyuiop1234567890',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'zaq1xsw2cde3vfr4bgt5nhy6mju7',
  'qazwsxedcrfvtgbyhnujmikolp',
  '!@#$%^&*()_+',
];
